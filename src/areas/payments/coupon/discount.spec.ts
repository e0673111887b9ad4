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
    expect(discount(amount, percent(by))).toBe(off);
  });

  it('is a whole amount, and never more than the price', () => {
    fc.assert(
      fc.property(amounts, fc.oneof(percentages.map(percent), fc.maxSafeNat().map(fixed)), (amount, coupon) => {
        const off = discount(amount, coupon);
        expect(Number.isSafeInteger(off) && off >= 0 && off <= amount).toBe(true);
      }),
    );
  });

  it('of a percentage is rounded to the nearest amount, half up', () => {
    fc.assert(
      fc.property(amounts, percentages, (amount, by) => {
        const twice = 2n * (BigInt(discount(amount, percent(by))) * 100n - BigInt(amount) * BigInt(by));
        expect(twice > -100n && twice <= 100n).toBe(true);
      }),
    );
  });

  it('grows with the percentage and with the amount', () => {
    fc.assert(
      fc.property(amounts, amounts, percentages, percentages, (one, other, by, of) => {
        const [low, high] = one < other ? [one, other] : [other, one];
        expect(discount(low, percent(by))).toBeLessThanOrEqual(discount(high, percent(by)));
        expect(discount(one, percent(Math.min(by, of)))).toBeLessThanOrEqual(discount(one, percent(Math.max(by, of))));
      }),
    );
  });

  it('of an amount is that amount, limited by the price', () => {
    fc.assert(
      fc.property(amounts, fc.maxSafeNat(), (amount, off) => {
        expect(discount(amount, fixed(off))).toBe(off < amount ? off : amount);
      }),
    );
  });
});
