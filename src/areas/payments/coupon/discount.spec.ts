import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { discount } from './discount.js';

const most = Number.MAX_SAFE_INTEGER;
const amounts = fc.oneof(fc.integer({ min: 0, max: 10_000 }), fc.maxSafeNat());
const percentages = fc.integer({ min: 1, max: 100 });
const percent = (percentOff: number) => ({ percentOff, amountOff: null, currency: null });
const fixed = (amountOff: number) => ({ percentOff: null, amountOff, currency: 'usd' });

describe('a discount', () => {
  it.each([
    [1_000, 20, 200],
    [1, 50, 1],
    [1, 49, 0],
    [99, 50, 50],
    [150, 1, 2],
    [149, 1, 1],
    [0, 100, 0],
    [most, 100, most],
    [most, 50, 4_503_599_627_370_496],
  ])('of %d by %d per cent is %d', (amount, by, off) => {
    expect(discount(amount, percent(by), 1)).toBe(off);
  });

  it.each([
    ['5.120 KWD', 5_120, 15, 10, 770],
    ['5.120 KWD', 5_120, 12, 10, 610],
    ['5.000 KWD', 5_000, 1, 10, 50],
    ['1.500 KWD', 1_500, 1, 10, 20],
    ['1.490 KWD', 1_490, 1, 10, 10],
    ['0.990 KWD', 990, 100, 10, 990],
    ['1234.00 MGA', 123_400, 33, 100, 40_700],
    ['a price between two steps', 5_123, 15, 10, 768],
  ])('of %s (%d) by %d per cent in steps of %d is %d', (_, amount, by, step, off) => {
    expect(discount(amount, percent(by), step)).toBe(off);
  });

  it('of a percentage leaves an amount that the processor accepts, as near to the exact one as the steps allow', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000_000_000), percentages, fc.constantFrom(1, 10, 100), (steps, by, step) => {
        const amount = steps * step;
        const off = discount(amount, percent(by), step);
        expect([off % step, (amount - off) % step, off <= amount]).toEqual([0, 0, true]);
        const twice = 2n * (BigInt(off) * 100n - BigInt(amount) * BigInt(by));
        expect(twice > -100n * BigInt(step) && twice <= 100n * BigInt(step)).toBe(true);
      }),
    );
  });

  it('is a whole amount, and never more than the price', () => {
    fc.assert(
      fc.property(amounts, fc.oneof(percentages.map(percent), fc.maxSafeNat().map(fixed)), (amount, coupon) => {
        const off = discount(amount, coupon, 1);
        expect(Number.isSafeInteger(off) && off >= 0 && off <= amount).toBe(true);
      }),
    );
  });

  it('of a percentage is rounded to the nearest amount, half up', () => {
    fc.assert(
      fc.property(amounts, percentages, (amount, by) => {
        const twice = 2n * (BigInt(discount(amount, percent(by), 1)) * 100n - BigInt(amount) * BigInt(by));
        expect(twice > -100n && twice <= 100n).toBe(true);
      }),
    );
  });

  it('grows with the percentage and with the amount', () => {
    fc.assert(
      fc.property(amounts, amounts, percentages, percentages, (one, other, by, of) => {
        const [low, high] = one < other ? [one, other] : [other, one];
        expect(discount(low, percent(by), 1)).toBeLessThanOrEqual(discount(high, percent(by), 1));
        expect(discount(one, percent(Math.min(by, of)), 1)).toBeLessThanOrEqual(
          discount(one, percent(Math.max(by, of)), 1),
        );
      }),
    );
  });

  it('of an amount is that amount, limited by the price', () => {
    fc.assert(
      fc.property(amounts, fc.maxSafeNat(), (amount, off) => {
        expect(discount(amount, fixed(off), 10)).toBe(off < amount ? off : amount);
      }),
    );
  });
});
