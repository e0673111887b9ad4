import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { refuse } from '../payments.refusals.js';
import {
  type Coupon,
  type CouponEvent,
  type CouponInput,
  type CouponOf,
  type CouponUse,
  coupons,
  type Discount,
  type NewCoupon,
  openUses,
} from './coupon.record.js';

type Events = readonly CouponEvent[];

/** The code must already be in stored form. */
export function createCoupon(before: Coupon | undefined, { projectId, code, ...sent }: NewCoupon): Events {
  if (before !== undefined) return refuse('coupon-code-taken', { code });
  if (sent.percentOff === undefined && sent.amountOff === undefined) {
    return refuseInput([{ path: 'percentOff', message: 'is required if amountOff is not sent' }]);
  }
  const none = { percentOff: null, amountOff: null, currency: null };
  return coupons.created({ projectId, code, ...sent, ...discountOf(none, sent) });
}

/** If percentOff or amountOff is sent, it replaces the other (settled question Q-S44). */
export function updateCoupon(before: Coupon, sent: CouponInput): Events {
  return coupons.changed(before, { ...sent, ...discountOf(before, sent) });
}

export interface RequestedUse extends CouponUse {
  readonly currency: string;
}

/** Maximum number of open checkouts per coupon, because the coupon's record contains all of them. */
const mostUses = 5_000;

/**
 * Idempotent per payment.
 * @throws Refusal
 */
export function reserveCoupon(
  coupon: Coupon = coupons.missing(),
  { currency, ...use }: RequestedUse,
  now: number,
): Events {
  const { code, uses } = coupon;
  if (uses.some(({ paymentId }) => paymentId === use.paymentId)) return [];
  if (!coupon.isActive) refuse('coupon-inactive', { code });
  if (coupon.expiresAt !== null && Date.parse(coupon.expiresAt) <= now) refuse('coupon-expired', { code });
  if (coupon.offerKeys.length > 0 && !coupon.offerKeys.includes(use.offerKey))
    refuse('coupon-of-other-offers', { code });
  if (coupon.currency !== null && coupon.currency !== currency) {
    refuse('coupon-of-other-currency', { code, currency: coupon.currency.toUpperCase() });
  }
  const open = openUses(coupon, now);
  if (coupon.maxRedemptions !== null && coupon.redemptions + open >= coupon.maxRedemptions) {
    refuse('coupon-used-up', { code });
  }
  if (open >= mostUses) refuse('coupon-busy', { code });
  return [{ type: 'CouponReserved', data: { ...ofOne(coupon), ...use } }];
}

export function extendCoupon(coupon: Coupon | undefined, paymentId: string, until: string | null): Events {
  const use = coupon?.uses.find((one) => one.paymentId === paymentId);
  if (coupon === undefined || use === undefined || use.until === until) return [];
  return [{ type: 'CouponReserved', data: { ...ofOne(coupon), ...use, until } }];
}

/**
 * Counts or frees the payment's redemption, even if the coupon or the reservation has expired. Does nothing if the
 * payment has no reservation, so repeated calls have no effect.
 */
export function settleCoupon(
  coupon: Coupon | undefined,
  paymentId: string,
  type: 'CouponRedeemed' | 'CouponReleased',
): Events {
  const use = coupon?.uses.find((one) => one.paymentId === paymentId);
  if (coupon === undefined || use === undefined) return [];
  const { appUserId, offerKey } = use;
  return [{ type, data: { ...ofOne(coupon), paymentId, appUserId, offerKey } }];
}

function discountOf(before: Discount, { percentOff, amountOff, currency }: CouponInput): Partial<Discount> {
  if (percentOff !== undefined && amountOff !== undefined) {
    refuseInput([
      { path: 'amountOff', message: 'must not be sent together with percentOff: a coupon has only one of them' },
    ]);
  }
  const isAmount = amountOff !== undefined || (percentOff === undefined && before.amountOff !== null);
  if (currency !== undefined && !isAmount) {
    refuseInput([{ path: 'currency', message: 'is the currency of amountOff and must not be set for a percentage' }]);
  }
  return {
    ...(percentOff === undefined ? {} : { percentOff, amountOff: null, currency: null }),
    ...(amountOff === undefined ? {} : { percentOff: null, amountOff, currency: before.currency ?? 'usd' }),
    ...(currency === undefined ? {} : { currency }),
  };
}

const ofOne = ({ projectId, code }: CouponOf): CouponOf => ({ projectId, code });
