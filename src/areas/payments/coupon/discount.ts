import type { Discount } from './coupon.record.js';

/**
 * Returns the discount on an amount, in minor units. A percentage is rounded half up. The discount is never more than
 * the amount. Exact for every amount that is a safe integer.
 */
export function discount(amount: number, { percentOff, amountOff }: Discount): number {
  if (percentOff === null) return Math.min(amount, amountOff ?? 0);
  return Number((BigInt(amount) * BigInt(percentOff) + 50n) / 100n);
}
