import { derivedId } from '../../../kernel/event/derived-id.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { boolean, currencyCode, id, name, text } from '../../../kernel/noun/fields.js';
import { noun } from '../../../kernel/noun/noun.js';
import type {
  CreateInput,
  FieldsOf,
  KeysOf,
  NounEvents,
  RecordOf,
  UpdateInput,
} from '../../../kernel/noun/noun-types.js';
import { refuse } from '../payments.refusals.js';
import { accessTerm, entitlementKey, features, imageUrl, offerKey, paymentTerm, price } from './offer-fields.js';

/** A purchase copies these terms, so changes apply only to later purchases. */
const { amount, ...terms } = {
  amount: price(),
  currency: currencyCode()
    .default('usd')
    .describe({ sent: 'ISO 4217 code, stored in lower case.', answer: 'ISO 4217 code in lower case.' }),
  paymentTerm: paymentTerm().default('one_time'),
  accessTerm: accessTerm().default('lifetime'),
  entitlementKey: entitlementKey().initially(''),
};

const fields = {
  projectId: id().key(),
  key: offerKey().key().answered().namedBy(idField),
  name: name(),
  amount,
  description: text({ maxLength: 5_000 }).initially(''),
  ...terms,
  imageUrl: imageUrl(),
  features: features().initially([]),
  isActive: boolean().default(true).describe({ update: 'false if the offer is no longer sold.' }),
  /** New each time the terms change or a deleted offer is created again. */
  termsId: id().unsent().fixed().internal(),
};

const events = { created: 'OfferCreated', changed: 'OfferChanged', deleted: 'OfferDeleted' } as const;

export type OfferTerms = FieldsOf<typeof terms & { readonly amount: typeof amount }>;
export type NewOffer = CreateInput<typeof fields>;
export type OfferInput = UpdateInput<typeof fields>;
type OfferOf = KeysOf<typeof fields>;

export type OfferEvent =
  | NounEvents<typeof fields, typeof events>
  | DomainEvent<'OfferTermsChanged', OfferOf & Partial<OfferTerms> & { readonly termsId: string }>;

export interface Offer extends RecordOf<typeof fields> {
  readonly updatedAt: string;
}

export const offers = noun<Offer, OfferEvent>()({
  kind: 'offer',
  fields,
  events,
  auditedFor: 'site.read',
  shownBy: 'site/listOffers',
  limited: true,
  of: { project: 'projectId' },
  undoing: {
    sets: ['site/updateOffer'],
    makes: 'site/createOffer',
    ends: 'site/deleteOffer',
    returns: { type: 'OfferRestored' },
  },
  missing: () => refuse('offer-not-found'),
  collection: { name: 'offers', version: 1, indexes: [{ fields: ['workspaceId', 'projectId', 'createdAt'] }] },
  updatedAt: true,
  folds: { OfferTermsChanged: (_, { data }) => data },
});

/** Concurrent creations use the same stream, so they are serialised. */
export const offerId = ({ projectId, key }: OfferOf): string => derivedId('off', `${projectId}/${key}`);
