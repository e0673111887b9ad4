import { refuseInput } from '../../../kernel/field/refuse-input.js';
import type { Offer } from '../offer/offer.record.js';
import type { PaymentMethod, PaymentMode, PurchaseFacts } from './site-payment.record.js';

export interface RequestedPurchase {
  readonly projectId: string;
  readonly appUserId: string;
  readonly offer: Offer;
  readonly coupon: { readonly code: string; readonly discount: number } | undefined;
  readonly hadTrial: boolean;
  readonly method: Exclude<PaymentMethod, 'free'>;
  readonly mode: PaymentMode;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const dayMs = 24 * 3_600_000;
/** Time for which a payment can stay open, in milliseconds. The processor allows at most a day. */
const openMs = { processor: dayMs, manual: 14 * dayMs } as const;

/** Copies the present terms, so later changes of the offer do not affect the purchase. */
export function purchaseOf(purchase: RequestedPurchase): PurchaseFacts {
  const { projectId, appUserId, offer, coupon, hadTrial, mode, now } = purchase;
  const discount = Math.min(coupon?.discount ?? 0, offer.amount);
  const amount = offer.amount - discount;
  const method = amount === 0 ? 'free' : purchase.method;
  const { paymentTerm, accessTerm } = offer;
  const offered = paymentTerm === 'one_time' ? 0 : (paymentTerm.trialDays ?? 0);
  return {
    projectId,
    appUserId,
    offerKey: offer.key,
    offerName: offer.name,
    entitlementKey: offer.entitlementKey,
    price: offer.amount,
    discount,
    amount,
    currency: offer.currency,
    couponCode: coupon?.code ?? null,
    paymentTerm,
    accessTerm,
    trialDays: method === 'free' || hadTrial ? 0 : offered,
    method,
    mode: method === 'processor' ? mode : null,
    expiresAt: method === 'free' ? null : paymentDeadline(method, now),
  };
}

export const paymentDeadline = (method: keyof typeof openMs, now: number): string =>
  new Date(now + openMs[method]).toISOString();

const longestPath = 2_000;

/**
 * Accepts only paths, so that a checkout cannot redirect to another site.
 * @throws Refusal invalid-input
 */
export function pageOf(origin: string, field: 'successPath' | 'cancelPath', path: string | undefined): string {
  const sent = path ?? '/';
  const whole = URL.parse(sent, origin);
  const isPath = /^\/(?![/\\])[\x21-\x7e]*$/.test(sent) && !sent.includes('\\') && sent.length <= longestPath;
  if (isPath && whole !== null && whole.origin === new URL(origin).origin) return whole.href;
  return refuseInput([{ path: field, message: "must be a path on the site, such as '/thanks'" }]);
}
