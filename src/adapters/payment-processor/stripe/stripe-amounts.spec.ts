import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ProcessorRefused } from '../../../ports/network/payment-processor.port.js';
import { fromStripe, stripeStepOf, toStripe } from './stripe-amounts.js';

/** The largest amount that Stripe accepts has twelve digits. */
const amount = fc.nat(999_999_999_999);

describe('an amount for Stripe', () => {
  it.each([
    ['usd', 1_990, 1_990],
    ['jpy', 500, 500],
    ['kwd', 5_120, 5_120],
    ['isk', 5_000, 500_000],
    ['ugx', 5_000, 500_000],
    ['mga', 5_000, 50],
  ])('in %s is %d minor units, which are %d of its units', (currency, ours, sent) => {
    expect([toStripe(ours, currency), fromStripe(sent, currency)]).toEqual([sent, ours]);
  });

  it('comes back unchanged, as a whole number on both sides', () => {
    fc.assert(
      fc.property(amount, fc.constantFrom('usd', 'jpy', 'kwd', 'isk', 'ugx', 'mga'), (any, currency) => {
        const ours = currency === 'mga' ? any * 100 : any;
        const sent = toStripe(ours, currency);
        expect(Number.isSafeInteger(sent)).toBe(true);
        expect(fromStripe(sent, currency)).toBe(ours);
      }),
    );
  });

  it('in mga is refused if it is not a whole ariary', () => {
    fc.assert(
      fc.property(
        amount.filter((any) => any % 100 !== 0),
        (any) => {
          expect(() => toStripe(any, 'mga')).toThrow(ProcessorRefused);
        },
      ),
    );
  });

  it.each([
    ['usd', 1],
    ['jpy', 1],
    ['isk', 1],
    ['huf', 1],
    ['bhd', 10],
    ['jod', 10],
    ['kwd', 10],
    ['omr', 10],
    ['tnd', 10],
    ['mga', 100],
  ])('in %s is a multiple of %d minor units', (currency, step) => {
    expect(stripeStepOf(currency)).toBe(step);
  });
});
