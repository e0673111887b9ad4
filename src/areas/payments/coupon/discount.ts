import type { Discount } from './coupon.record.js';

/**
 * Returns minor units, at most the amount. Percentages are rounded half up to a multiple of `step`, so that a price that
 * the payment processor accepts remains one. They are rounded to the minor unit if the price is not a multiple of
 * `step`. Exact for every amount that is a safe integer.
 * @param step the payment processor accepts only multiples of this number of minor units
 */
export function discount(amount: number, { percentOff, amountOff }: Discount, step: number): number {
  if (percentOff === null) return Math.min(amount, amountOff ?? 0);
  const unit = BigInt(amount % step === 0 ? step : 1);
  return Number(((BigInt(amount) * BigInt(percentOff) + 50n * unit) / (100n * unit)) * unit);
}
