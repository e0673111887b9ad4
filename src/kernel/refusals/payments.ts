import { refusal } from './refusal-entry.js';

/** What offers, coupons, payments and entitlements refuse. */
export const paymentsRefusals = {
  'entitlement-not-found': refusal(
    'not-found',
    () => 'The user has no such entitlement; getEntitlements shows what they have, and grantEntitlement gives it.',
  ),
  'entitlement-revoked': refusal(
    'conflict',
    (about: { key: string }) =>
      `The entitlement '${about.key}' was revoked; grantEntitlement gives it again, and nothing else changes it.`,
  ),
  'entitlements-full': refusal(
    'limited',
    (about: { limit: number }) => `The user has ${about.limit} entitlements, which is the limit.`,
  ),
  'offer-not-found': refusal('not-found', () => 'The project has no such offer; listOffers shows those that it has.'),
  'offer-key-taken': refusal(
    'conflict',
    (about: { key: string }) =>
      `The project has an offer '${about.key}' already; choose another key, or update that one.`,
  ),
  'offer-inactive': refusal('conflict', (about: { key: string }) => `The offer '${about.key}' is not sold at present.`),
  'coupon-not-found': refusal('not-found', () => 'There is no such coupon.'),
  'coupon-code-taken': refusal(
    'conflict',
    (about: { code: string }) =>
      `The project has a coupon '${about.code}' already; choose another code, or update that one.`,
  ),
  'coupon-inactive': refusal(
    'conflict',
    (about: { code: string }) => `The coupon '${about.code}' is not valid at present.`,
  ),
  'coupon-expired': refusal('conflict', (about: { code: string }) => `The coupon '${about.code}' has expired.`),
  'coupon-used-up': refusal(
    'conflict',
    (about: { code: string }) => `The coupon '${about.code}' was used as often as it may be.`,
  ),
  'coupon-of-other-offers': refusal(
    'conflict',
    (about: { code: string }) => `The coupon '${about.code}' is not for this offer.`,
  ),
  'coupon-of-other-currency': refusal(
    'conflict',
    (about: { code: string; currency: string }) =>
      `The coupon '${about.code}' takes off an amount in ${about.currency}, and the offer is in another currency.`,
  ),
  'coupon-busy': refusal(
    'limited',
    (about: { code: string }) => `Too many checkouts with the coupon '${about.code}' are open; try again later.`,
  ),
};
