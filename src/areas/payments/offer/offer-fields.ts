import { mostMinorUnits } from '../../../kernel/money/currency.js';
import { field, fieldOf, minorUnits } from '../../../kernel/noun/fields.js';
import { mustBe } from '../../../kernel/text/must-be.js';
import { wrongEntitlementKey } from '../entitlement/entitlement-key.api.js';
import {
  type AccessTerm,
  accessUnits,
  intervals,
  type PaymentTerm,
  wrongAccessTerm,
  wrongPaymentTerm,
} from './offer-terms.api.js';

const longestImageUrl = 2_000;
const webAddressOrPath = String.raw`^$|^/(?![/\\])[^\s\\]*$|^[hH][tT][tT][pP][sS]?://[^\s\\]+$`;
const mostFeatures = 100;
const longestFeature = 500;

export const offerKey = () =>
  field({ type: 'string', pattern: /^[a-z0-9][a-z0-9_-]{0,63}$/, maxLength: 64 })
    .describe({ create: 'Unique in the project. payments.checkout identifies the offer by this key.' })
    .shownAs({ type: 'string' });

export const price = () =>
  minorUnits(0)
    // Turns -0 into 0, because some clients treat them as different numbers.
    .storedAs((sent) => sent + 0)
    .describe('The price in minor units of the currency, for example cents for usd or yen for jpy. 0 means free.')
    .shownAs({ type: 'integer', minimum: 0, maximum: mostMinorUnits });

export const paymentTerm = () =>
  fieldOf<PaymentTerm>()({
    type: 'any',
    schema: {
      oneOf: [
        { type: 'string', enum: ['one_time'] },
        {
          type: 'object',
          required: ['every', 'interval'],
          properties: {
            every: { type: 'integer', minimum: 1 },
            interval: { type: 'string', enum: intervals },
            trialDays: { type: 'integer', minimum: 1, maximum: 730 },
          },
          additionalProperties: false,
        },
      ],
    },
    wrong: wrongPaymentTerm,
  }).describe(
    "'one_time', or { every, interval, trialDays? } for recurring payments. trialDays is the number of free days before the first charge.",
  );

export const accessTerm = () =>
  fieldOf<AccessTerm>()({
    type: 'any',
    schema: {
      oneOf: [
        { type: 'string', enum: ['lifetime', 'while_subscribed'] },
        {
          type: 'object',
          required: ['for', 'unit'],
          properties: { for: { type: 'integer', minimum: 1 }, unit: { type: 'string', enum: accessUnits } },
          additionalProperties: false,
        },
      ],
    },
    wrong: wrongAccessTerm,
  }).describe(
    "'lifetime', 'while_subscribed' (which requires a recurring paymentTerm), or { for, unit }, counted from the payment.",
  );

export const entitlementKey = () =>
  fieldOf<string>()({ type: 'any', schema: { type: 'string', minLength: 1 }, wrong: wrongEntitlementKey })
    .describe({
      create: 'Key of the entitlement that a purchase grants. Default: the key of the offer.',
      update: 'Key of the entitlement that a purchase grants.',
    })
    .shownAs({ type: 'string' });

export const imageUrl = () =>
  fieldOf<string>()({
    type: 'any',
    schema: { type: 'string', maxLength: longestImageUrl, pattern: webAddressOrPath },
    wrong: wrongImageUrl,
  })
    .nullable()
    .storedAs((sent) => sent || null)
    .describe({ sent: 'An http or https address, or a path on the site. Empty for no image.' })
    .shownAs({ type: 'string' });

export const features = () =>
  fieldOf<readonly string[]>()({
    type: 'any',
    schema: { type: 'array', maxItems: mostFeatures, items: { type: 'string', maxLength: longestFeature } },
    must: `a list of at most ${mostFeatures} strings of at most ${longestFeature} characters each`,
  }).shownAs({ type: 'array', items: 'string' });

/** Refuses schemes such as `javascript:`, which a page could execute. */
function wrongImageUrl(value: unknown): string | undefined {
  if (typeof value !== 'string') return mustBe('a string', value);
  if (value.length > longestImageUrl) return `must be at most ${longestImageUrl} characters`;
  if (value === '' || /^\/(?![/\\])[^\s\\]*$/.test(value)) return undefined;
  const isWeb = /^https?:\/\/[^\s\\]+$/i.test(value) && URL.canParse(value);
  return isWeb ? undefined : 'must be an http or https address, or a path on the site such as /images/gold.png';
}
