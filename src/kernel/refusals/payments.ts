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
};
