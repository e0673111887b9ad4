import { inProject, type Reservation, uniqueName } from '../../../engine/commands/reservation.js';
import type { RequestedName } from '../../../engine/commands/reservation-requests.js';
import { refuse } from '../payments.refusals.js';
import { type PaymentStatus, type PurchaseFacts, type SitePayment, sitePayments } from './site-payment.record.js';

export type OpenOf = Pick<PurchaseFacts, 'projectId' | 'appUserId' | 'offerKey'>;

const openName = ({ projectId, appUserId, offerKey }: OpenOf): string =>
  inProject(projectId, `${offerKey} ${appUserId}`);
const open = uniqueName('openPayment', sitePayments, (one: SitePayment) =>
  one.status === 'pending' ? openName(one) : undefined,
);
export const openPayment = (of: OpenOf, holder: string): Reservation => open(openName(of), holder);

const useName = ({ projectId, appUserId, couponCode }: Omit<OpenOf, 'offerKey'> & Pick<PurchaseFacts, 'couponCode'>) =>
  couponCode === null ? undefined : inProject(projectId, `${couponCode} ${appUserId}`);
const unused: readonly PaymentStatus[] = ['rejected', 'failed', 'expired'];
const couponUse = uniqueName('couponUse', sitePayments, (one: SitePayment) =>
  unused.includes(one.status) ? undefined : useName(one),
);

/**
 * Returns the unique names that a new payment reserves. One ensures that the user has no other open payment for this
 * offer. The other prevents a second payment of the user with this coupon, unless the first was rejected, failed or
 * expired.
 */
export function namesOf(facts: PurchaseFacts, holder: string): readonly RequestedName[] {
  const use = useName(facts);
  return [
    { reservation: openPayment(facts, holder), taken: refusePaymentOpen },
    ...(use === undefined
      ? []
      : [
          {
            reservation: couponUse(use, holder),
            taken: () => refuse('coupon-used-by-buyer', { code: facts.couponCode ?? '' }),
          },
        ]),
  ];
}

export const refusePaymentOpen = (): never => refuse('payment-open');
