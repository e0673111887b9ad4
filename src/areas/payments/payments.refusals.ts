import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusalsOf, refusing } from '../../kernel/refusals/refusal.js';
import { invalid, refusal } from '../../kernel/refusals/refusal-entry.js';

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
    (about: { limit: number }) =>
      `The user has ${about.limit} entitlements, revoked and expired ones included, which is the limit; grant one of their keys again instead.`,
  ),
  'offer-not-found': refusal('not-found', () => 'The project has no such offer; listOffers shows those that it has.'),
  'offer-key-taken': refusal(
    'conflict',
    (about: { key: string }) =>
      `The project has an offer '${about.key}' already; choose another key, or update that one.`,
  ),
  'offer-inactive': refusal(
    'conflict',
    (about: { key: string }) => `The offer '${about.key}' is not sold at present; choose another one.`,
  ),
  'coupon-not-found': refusal('not-found', () => 'There is no such coupon; check its code.'),
  'coupon-code-taken': refusal(
    'conflict',
    (about: { code: string }) =>
      `The project has a coupon '${about.code}' already; choose another code, or update that one.`,
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
      `The coupon '${about.code}' was used as often as it may be; buy without it, or with another one.`,
  ),
  'coupon-of-other-offers': refusal(
    'conflict',
    (about: { code: string }) =>
      `The coupon '${about.code}' is not for this offer; buy without it, or with another one.`,
  ),
  'coupon-of-other-currency': refusal(
    'conflict',
    (about: { code: string; currency: string }) =>
      `The coupon '${about.code}' takes off an amount in ${about.currency}, and the offer is in another currency; buy without it, or with another one.`,
  ),
  'coupon-busy': refusal(
    'limited',
    (about: { code: string }) => `Too many checkouts with the coupon '${about.code}' are open; try again later.`,
  ),
  'coupon-used-by-buyer': refusal(
    'conflict',
    (about: { code: string }) =>
      `You have used the coupon '${about.code}' before, or a purchase with it is open, and it is for one purchase of each buyer; buy without it, or with another one.`,
  ),
  'entitlement-held-for-life': refusal(
    'conflict',
    (about: { key: string }) =>
      `You have '${about.key}' for life already, so there is nothing to buy; payments/mine shows what you have.`,
  ),
  'payment-open': refusal(
    'conflict',
    () =>
      'A purchase of this offer is open already; pay it, or wait until it is decided or has expired. payments/mine shows it.',
  ),
  'manual-payments-off': refusal(
    'conflict',
    () =>
      "This site takes no payments by hand; check out with the method 'processor'. Its owner can take them by setManualPayments.",
  ),
  'payment-not-found': refusal(
    'not-found',
    () =>
      'There is no such manual payment in this project; listManualPayments shows them, the pending ones by default.',
  ),
  'payment-decided': refusal(
    'conflict',
    (about: { status: string }) =>
      `The payment is ${about.status} by now; only a pending one can be decided, once; listManualPayments shows those.`,
  ),
  'processor-key-missing': refusal(
    'conflict',
    (about: { variable: string; mode: string }) =>
      `The project has no secret key of the processor for the mode ${about.mode}; store it as the secret variable ${about.variable} with createEnvVar.`,
  ),
  'processor-key-of-other-mode': refusal(
    'conflict',
    (about: { variable: string; mode: string }) =>
      `The key in ${about.variable} is none of the mode ${about.mode}; set the processor's secret key of that mode.`,
  ),
  'processor-refused': refusal(
    'conflict',
    (about: { why: string }) => `The payment processor refused it: ${about.why} Nothing was changed here.`,
  ),
  'processor-unavailable': refusal(
    'unavailable',
    (about: { why: string }) => `The payment processor could not be asked: ${about.why} Send the call again later.`,
  ),
  'processor-webhook-not-found': refusal(
    'not-found',
    () => 'No webhook of a payment processor is registered here; registerProcessorWebhook registers one.',
  ),
  'processor-event-not-verified': invalid(
    '',
    () =>
      'The signature of this event is missing, wrong, or too old, or what is signed is no event; nothing was done. If it stays so, register the webhook anew with registerProcessorWebhook.',
  ),
  'processor-event-of-other-mode': invalid(
    '',
    (about: { mode: string }) =>
      `This webhook takes events of the mode ${about.mode} alone; nothing was done. Register one for the other mode with registerProcessorWebhook.`,
  ),
  'checkout-refused': refusal(
    'conflict',
    () => 'The payment could not be begun, and nothing was taken. Tell the owner of the site, who can see why.',
  ),
  'checkout-rate': refusal('limited', () => 'This user began more checkouts than one may in an hour; try again later.'),
};

const known = { ...engineRefusals, ...paymentsRefusals };
export const refusalOf = refusalsOf(known);
export const refuse: Refuse<typeof known> = refusing(known);
