import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusalsOf, refusing } from '../../kernel/refusals/refusal.js';
import { invalid, refusal } from '../../kernel/refusals/refusal-entry.js';

export const paymentsRefusals = {
  'entitlement-not-found': refusal(
    'not-found',
    () =>
      "The user has no such entitlement; getEntitlements lists the user's entitlements, and grantEntitlement grants one.",
  ),
  'entitlement-revoked': refusal(
    'conflict',
    (about: { key: string }) => `The entitlement '${about.key}' was revoked; only grantEntitlement can change it.`,
  ),
  'entitlements-full': refusal(
    'limited',
    (about: { limit: number }) =>
      `The user has ${about.limit} entitlements, including revoked and expired ones, which is the limit; grant one of the existing keys again instead.`,
  ),
  'offer-not-found': refusal('not-found', () => 'The project has no such offer; listOffers lists its offers.'),
  'offer-key-taken': refusal(
    'conflict',
    (about: { key: string }) =>
      `The project already has an offer '${about.key}'; choose another key, or update that offer.`,
  ),
  'offer-inactive': refusal(
    'conflict',
    (about: { key: string }) => `The offer '${about.key}' is not for sale at present; choose another one.`,
  ),
  'coupon-not-found': refusal('not-found', () => 'There is no such coupon; check its code.'),
  'coupon-code-taken': refusal(
    'conflict',
    (about: { code: string }) =>
      `The project already has a coupon '${about.code}'; choose another code, or update that coupon.`,
  ),
  'coupon-inactive': refusal(
    'conflict',
    (about: { code: string }) =>
      `The coupon '${about.code}' is not valid at present; buy without it, or with another one.`,
  ),
  'coupon-expired': refusal(
    'conflict',
    (about: { code: string }) => `The coupon '${about.code}' has expired; buy without it, or with another one.`,
  ),
  'coupon-used-up': refusal(
    'conflict',
    (about: { code: string }) =>
      `The coupon '${about.code}' has reached its maximum number of redemptions; buy without it, or with another one.`,
  ),
  'coupon-of-other-offers': refusal(
    'conflict',
    (about: { code: string }) =>
      `The coupon '${about.code}' is not valid for this offer; buy without it, or with another one.`,
  ),
  'coupon-of-other-currency': refusal(
    'conflict',
    (about: { code: string; currency: string }) =>
      `The coupon '${about.code}' takes off an amount in ${about.currency}, but the offer is in another currency; buy without it, or with another one.`,
  ),
  'coupon-busy': refusal(
    'limited',
    (about: { code: string }) => `Too many checkouts with the coupon '${about.code}' are open; try again later.`,
  ),
  'coupon-used-by-buyer': refusal(
    'conflict',
    (about: { code: string }) =>
      `You can use the coupon '${about.code}' for one purchase only, and have used it before or have an open purchase with it; buy without it, or with another one.`,
  ),
  'entitlement-held-for-life': refusal(
    'conflict',
    (about: { key: string }) =>
      `You already have '${about.key}' for life, so there is nothing to buy; payments/mine shows what you have.`,
  ),
  'payment-open': refusal(
    'conflict',
    () =>
      'A purchase of this offer is already open; pay it, or wait until it is decided or has expired. payments/mine shows it.',
  ),
  'manual-payments-off': refusal(
    'conflict',
    () =>
      "This site does not accept manual payments; check out with the method 'processor'. The owner of the site can accept them with setManualPayments.",
  ),
  'payment-not-found': refusal(
    'not-found',
    () =>
      'There is no such manual payment in this project; listManualPayments lists the payments, by default the pending ones.',
  ),
  'payment-decided': refusal(
    'conflict',
    (about: { status: string }) =>
      `The payment is already ${about.status}; only a pending payment can be decided. listManualPayments lists those.`,
  ),
  'processor-key-missing': refusal(
    'conflict',
    (about: { variable: string; mode: string }) =>
      `The project has no secret key of the payment processor for the mode ${about.mode}; store it as the secret variable ${about.variable} with createEnvVar.`,
  ),
  'processor-webhook-missing': refusal(
    'conflict',
    (about: { mode: string }) =>
      `The project has no webhook of the payment processor for the mode ${about.mode}, so no payment would be reported; register one with registerProcessorWebhook.`,
  ),
  'processor-key-of-other-mode': refusal(
    'conflict',
    (about: { variable: string; mode: string }) =>
      `The key in ${about.variable} is not a key for the mode ${about.mode}; set the payment processor's secret key for that mode.`,
  ),
  'processor-refused': refusal(
    'conflict',
    (about: { why: string }) => `The payment processor refused the request: ${about.why} Nothing was changed here.`,
  ),
  'processor-unavailable': refusal(
    'unavailable',
    (about: { why: string }) => `The payment processor is not available: ${about.why} Send the call again later.`,
  ),
  'processor-webhook-not-found': refusal(
    'not-found',
    () =>
      'No webhook of a payment processor is registered at this address; register one with registerProcessorWebhook.',
  ),
  'processor-event-not-verified': invalid(
    '',
    () =>
      'The signature of this event is missing, wrong or too old, or the signed content is not an event; nothing was done. If this continues, register the webhook again with registerProcessorWebhook.',
  ),
  'processor-event-of-other-mode': invalid(
    '',
    (about: { mode: string }) =>
      `This webhook accepts only events of the mode ${about.mode}; nothing was done. Register a webhook for the other mode with registerProcessorWebhook.`,
  ),
  'checkout-refused': refusal(
    'conflict',
    () => 'The payment could not be started, and nothing was charged. Tell the owner of the site, who can see why.',
  ),
  'checkout-rate': refusal(
    'limited',
    () => 'The user has started the maximum number of checkouts per hour; try again later.',
  ),
};

const known = { ...engineRefusals, ...paymentsRefusals };
export const refusalOf = refusalsOf(known);
export const refuse: Refuse<typeof known> = refusing(known);
