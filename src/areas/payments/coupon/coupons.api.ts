import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { extendCoupon, reserveCoupon, settleCoupon } from './coupon.js';
import { type Coupon, type CouponEvent, type CouponUse, couponId, coupons } from './coupon.record.js';
import { couponCodeOf } from './coupon-code.js';
import { discount } from './discount.js';

interface PaymentWithCoupon {
  readonly projectId: string;
  /** In upper or lower case. */
  readonly code: string;
  readonly paymentId: string;
}

export interface RequestedCoupon extends PaymentWithCoupon, Omit<CouponUse, 'until'> {
  /** In minor units, before the discount. */
  readonly amount: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
  /** The payment processor accepts only multiples of this number of minor units. */
  readonly step: number;
  /** Expiry of the reservation, in ISO 8601. */
  readonly until: string;
}

export interface ReservedCoupon {
  readonly code: string;
  readonly discount: number;
}

/**
 * A redemption is reserved when a checkout begins and counted when it is paid. Both are recorded in the coupon's
 * stream, so limits are exact with any number of concurrent buyers. All methods are idempotent.
 */
@Injectable()
export class Coupons {
  constructor(private readonly runner: CommandRunner) {}

  /** @throws Refusal if the coupon does not exist, is not valid, does not apply to the offer, or is used up */
  async reserve(
    call: OperationContext,
    { projectId, code: sent, amount, step, ...use }: RequestedCoupon,
  ): Promise<ReservedCoupon> {
    const code = couponCodeOf(sent) ?? coupons.missing();
    const after = await this.runner.change(call, {
      aggregate: coupons,
      id: couponId({ projectId, code }),
      decide: (before) => reserveCoupon(before, use, Date.parse(call.at)),
    });
    return { code, discount: discount(amount, after ?? coupons.missing(), step) };
  }

  /**
   * Changes when the reservation expires. If `until` is null, it lasts until the payment is approved or rejected. If
   * `until` is in the past, other buyers can use the redemption, but `redeem` still counts it.
   */
  extend(call: OperationContext, payment: PaymentWithCoupon, until: string | null): Promise<void> {
    return this.settle(call, payment, (coupon, paymentId) => extendCoupon(coupon, paymentId, until));
  }

  /** Resolves to the ids of the payments with a reservation. */
  async paymentsOf(workspaceId: string, id: string): Promise<readonly string[]> {
    const coupon = await this.runner.find(coupons, workspaceId, id);
    return coupon?.uses.map(({ paymentId }) => paymentId) ?? [];
  }

  redeem(call: OperationContext, payment: PaymentWithCoupon): Promise<void> {
    return this.settle(call, payment, (coupon, paymentId) => settleCoupon(coupon, paymentId, 'CouponRedeemed'));
  }

  release(call: OperationContext, payment: PaymentWithCoupon): Promise<void> {
    return this.settle(call, payment, (coupon, paymentId) => settleCoupon(coupon, paymentId, 'CouponReleased'));
  }

  private async settle(
    call: OperationContext,
    { projectId, code: sent, paymentId }: PaymentWithCoupon,
    decide: (coupon: Coupon | undefined, paymentId: string) => readonly CouponEvent[],
  ): Promise<void> {
    const code = couponCodeOf(sent);
    if (code === undefined) return;
    await this.runner.change(call, {
      aggregate: coupons,
      id: couponId({ projectId, code }),
      begins: 'perhaps',
      decide: (before) => decide(before, paymentId),
    });
  }
}
