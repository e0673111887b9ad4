import { Operation, success } from '../../../engine/operation/operation.js';
import { shown } from '../../../engine/operation/shown.js';
import { lists } from '../../../engine/records/record-operations.js';
import { decides } from '../../../engine/records/rule.js';
import { Field } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import { mostMinorUnits, wrongCurrency } from '../../../kernel/money/currency.js';
import { wrongEntitlementKey } from '../entitlement/entitlement-key.api.js';
import {
  createOffer,
  deleteOffer,
  longestFeature,
  mostFeatures,
  updateOffer,
  webAddressOrPath,
  wrongImageUrl,
} from './offer.js';
import { type Offer, offerId, offers } from './offer.record.js';
import {
  type AccessTerm,
  accessUnits,
  intervals,
  type PaymentTerm,
  wrongAccessTerm,
  wrongPaymentTerm,
} from './offer-terms.api.js';

const declared = {
  source: 'Sites API, Offers and coupons',
  group: 'offers',
  within: 'project',
  tools: 'granted',
} as const;
const changes = { ...declared, effect: 'command', permission: 'site.edit' } as const;

const keyField = {
  type: 'string',
  pattern: /^[a-z0-9][a-z0-9_-]{0,63}$/,
  maxLength: 64,
  description: 'Unique in the project, and what payments.checkout names.',
} as const;
const amount = {
  type: 'integer',
  minimum: 0,
  maximum: mostMinorUnits,
  description: 'In minor units of the currency: cents of usd, yen of jpy. 0: free.',
} as const;
const currency = {
  type: 'any',
  schema: { type: 'string', pattern: '^[A-Za-z]{3}$' },
  wrong: wrongCurrency,
  description: 'ISO 4217, kept in lower case.',
} as const;
const paymentTerm = {
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
  description: "'one_time', or { every, interval, trialDays? }: trialDays are free, before the first charge.",
} as const;
const accessTerm = {
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
  description: "'lifetime', 'while_subscribed' (with a paymentTerm that recurs), or { for, unit } from the payment.",
} as const;
const entitlementKey = {
  type: 'any',
  schema: { type: 'string', minLength: 1 },
  wrong: wrongEntitlementKey,
  description: 'What a purchase entitles to.',
} as const;
const description = { type: 'string', maxLength: 5_000 } as const;
const imageUrl = {
  type: 'any',
  schema: { type: 'string', maxLength: 2_000, pattern: webAddressOrPath },
  wrong: wrongImageUrl,
  description: 'An https address, or a path of the site; empty: none.',
} as const;
const features = {
  type: 'any',
  schema: { type: 'array', maxItems: mostFeatures, items: { type: 'string', maxLength: longestFeature } },
  must: `a list of at most ${mostFeatures} texts of at most ${longestFeature} characters`,
} as const;
const optional = { optional: true } as const;

export class OfferRecord {
  @Field({ type: 'string' }) key!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) description!: string;
  @Field(amount) amount!: number;
  @Field({ type: 'string', description: 'ISO 4217, in lower case.' }) currency!: string;
  @Field(paymentTerm) paymentTerm!: PaymentTerm;
  @Field(accessTerm) accessTerm!: AccessTerm;
  @Field({ type: 'string' }) entitlementKey!: string;
  @Field({ type: 'string', nullable: true }) imageUrl!: string | null;
  @Field({ type: 'array', items: 'string' }) features!: readonly string[];
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({ type: 'string', format: 'date-time' }) updatedAt!: string;
}

@Operation('site/listOffers', {
  ...declared,
  summary: 'Lists what a project sells or sold, the oldest first, with all terms.',
  effect: 'query',
  permission: 'site.read',
  answers: { list: OfferRecord },
})
export class ListOffers {
  @Field(idField) projectId!: string;
}

@Operation('site/createOffer', {
  ...changes,
  summary: 'Offers something for sale: a purchase entitles to its entitlementKey, which conditions ask for.',
  answers: { record: OfferRecord },
  risky: true,
})
export class CreateOffer {
  @Field(idField) projectId!: string;
  @Field(keyField) key!: string;
  @Field(nameField) name!: string;
  @Field(amount) amount!: number;
  @Field({ ...description, ...optional }) description?: string;
  @Field({ ...currency, ...optional, default: 'usd' }) currency?: string;
  @Field({ ...paymentTerm, ...optional, default: 'one_time' }) paymentTerm?: PaymentTerm;
  @Field({ ...accessTerm, ...optional, default: 'lifetime' }) accessTerm?: AccessTerm;
  @Field({ ...entitlementKey, ...optional, description: 'Left out: the key of the offer.' })
  entitlementKey?: string;
  @Field({ ...imageUrl, ...optional }) imageUrl?: string;
  @Field({ ...features, ...optional }) features?: readonly string[];
  @Field({ type: 'boolean', ...optional, default: true }) isActive?: boolean;
}

@Operation('site/updateOffer', {
  ...changes,
  summary: 'Updates an offer: new terms are those of later purchases, and inactive it is not sold.',
  answers: { record: OfferRecord },
  risky: true,
})
export class UpdateOffer {
  @Field(idField) projectId!: string;
  @Field(idField) key!: string;
  @Field({ ...nameField, ...optional }) name?: string;
  @Field({ ...amount, ...optional }) amount?: number;
  @Field({ ...description, ...optional }) description?: string;
  @Field({ ...currency, ...optional }) currency?: string;
  @Field({ ...paymentTerm, ...optional }) paymentTerm?: PaymentTerm;
  @Field({ ...accessTerm, ...optional }) accessTerm?: AccessTerm;
  @Field({ ...entitlementKey, ...optional }) entitlementKey?: string;
  @Field({ ...imageUrl, ...optional }) imageUrl?: string;
  @Field({ ...features, ...optional }) features?: readonly string[];
  @Field({ type: 'boolean', ...optional, description: 'false: no longer sold.' }) isActive?: boolean;
}

@Operation('site/deleteOffer', {
  ...changes,
  summary: 'Deletes an offer: pages that name its key fail, and what was bought stays. Better make it inactive.',
  takesAway: true,
  answers: success,
})
export class DeleteOffer {
  @Field(idField) projectId!: string;
  @Field(idField) key!: string;
}

const answer = (offer: Offer | undefined): OfferRecord => shown(OfferRecord, offer ?? offers.missing());

export const offerHandlers = [
  lists(ListOffers, offers, { where: ({ projectId }) => ({ projectId }), shows: OfferRecord }),
  decides(CreateOffer, {
    aggregate: offers,
    id: offerId,
    begins: 'perhaps',
    decide: (before, input, call) => createOffer(before, input, call.newId('trm')),
    answer,
  }),
  decides(UpdateOffer, {
    aggregate: offers,
    id: offerId,
    decide: (before, { projectId: _, key: __, ...sent }, call) =>
      updateOffer(before ?? offers.missing(), sent, call.newId('trm')),
    answer,
  }),
  decides(DeleteOffer, {
    aggregate: offers,
    id: offerId,
    decide: (before) => deleteOffer(before ?? offers.missing()),
  }),
];
