import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { keepCoupon, reserveCoupon, settleCoupon } from './coupon.js';
import { type Coupon, type CouponEvent, type CouponUse, couponId, coupons } from './coupon.record.js';
import { codeOf } from './coupon-code.js';
import { discount } from './discount.js';

interface PaymentWithCoupon {
  readonly projectId: string;
  /** In upper or lower case. */
  readonly code: string;
  readonly paymentId: string;
}

export interface WantedCoupon extends PaymentWithCoupon, Omit<CouponUse, 'until'> {
  /** What it is taken off, in minor units. */
  readonly amount: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
  /** ISO 8601: when the redemption is free again by itself, unless it is kept. */
  readonly until: string;
}

export interface ReservedCoupon {
  /** In upper case, as it is written into the source of the entitlement. */
  readonly code: string;
  /** What it takes off, in minor units; never more than the amount. */
  readonly discount: number;
}

/**
 * Coupons in checkouts. A redemption is set aside when a checkout begins and counted when it is paid, each inside the
 * coupon's stream, so that a limit is exact however many buy at once. Everything here may be repeated.
 */
@Injectable()
export class Coupons {
  constructor(private readonly runner: CommandRunner) {}

  /** @throws Refusal when the coupon is not there, not valid, not for this offer or used up */
  async reserve(call: Call, { projectId, code: sent, amount, ...use }: WantedCoupon): Promise<ReservedCoupon> {
    const code = codeOf(sent) ?? coupons.missing();
    const after = await this.runner.change(call, {
      aggregate: coupons,
      id: couponId({ projectId, code }),
      decide: (before) => reserveCoupon(before, use, Date.parse(call.at)),
    });
    return { code, discount: discount(amount, after ?? coupons.missing()) };
  }

  /** A manual payment is recorded: the redemption is set aside until it expires; null: until it is decided. */
  keep(call: Call, payment: PaymentWithCoupon, until: string | null): Promise<void> {
    return this.settle(call, payment, (coupon, paymentId) => keepCoupon(coupon, paymentId, until));
  }

  /** Counts the redemption: it was paid, or granted at once. */
  redeem(call: Call, payment: PaymentWithCoupon): Promise<void> {
    return this.settle(call, payment, (coupon, paymentId) => settleCoupon(coupon, paymentId, 'CouponRedeemed'));
  }

  /** The checkout expired or failed, or the payment was rejected: somebody else may use it. */
  release(call: Call, payment: PaymentWithCoupon): Promise<void> {
    return this.settle(call, payment, (coupon, paymentId) => settleCoupon(coupon, paymentId, 'CouponReleased'));
  }

  private async settle(
    call: Call,
    { projectId, code: sent, paymentId }: PaymentWithCoupon,
    decide: (coupon: Coupon | undefined, paymentId: string) => readonly CouponEvent[],
  ): Promise<void> {
    const code = codeOf(sent);
    if (code === undefined) return;
    await this.runner.change(call, {
      aggregate: coupons,
      id: couponId({ projectId, code }),
      begins: 'perhaps',
      decide: (before) => decide(before, paymentId),
    });
  }
}
