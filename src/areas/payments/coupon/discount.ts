import type { Discount } from './coupon.record.js';

/**
 * Returns minor units, at most the amount. Percentages are rounded half up. Exact for every amount that is a safe
 * integer.
 */
export function discount(amount: number, { percentOff, amountOff }: Discount): number {
  if (percentOff === null) return Math.min(amount, amountOff ?? 0);
  return Number((BigInt(amount) * BigInt(percentOff) + 50n) / 100n);
}
