import { derivedId } from '../../../kernel/event/derived-id.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import type { AccessTerm, PaymentTerm } from './offer-terms.api.js';

/** What a purchase is bound by. A purchase copies them, so that a change concerns later purchases alone. */
export interface OfferTerms {
  /** In minor units of the currency; 0: free. */
  readonly amount: number;
  /** ISO 4217, in lower case. */
  readonly currency: string;
  readonly paymentTerm: PaymentTerm;
  readonly accessTerm: AccessTerm;
  /** What a purchase entitles to. */
  readonly entitlementKey: string;
}

/** What visitors see of it beside the terms. */
interface OfferLooks {
  readonly name: string;
  readonly description: string;
  readonly imageUrl: string | null;
  readonly features: readonly string[];
}

export interface OfferFacts extends OfferTerms, OfferLooks {
  /** Whether it is sold. What was bought stays. */
  readonly isActive: boolean;
}

interface OfferOf {
  readonly projectId: string;
  readonly key: string;
}

/** The terms of one time: another id after every change of them, and for an offer that is created again. */
interface Version {
  readonly termsId: string;
}

export type OfferEvent =
  | DomainEvent<'OfferCreated', OfferOf & OfferFacts & Version>
  | DomainEvent<'OfferTermsChanged', OfferOf & Partial<OfferTerms> & Version>
  | DomainEvent<'OfferChanged', OfferOf & Partial<OfferLooks> & { readonly isActive?: boolean }>
  | DomainEvent<'OfferDeleted', OfferOf>;

export interface Offer extends Document, OfferOf, OfferFacts, Version {
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const offers = plainRecord<Offer, OfferEvent>()({
  category: 'offer',
  auditedFor: 'site.read',
  shownBy: 'site/listOffers',
  limited: true,
  within: 'project',
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
  begins: { OfferCreated: {} },
  merges: ['OfferTermsChanged', 'OfferChanged'],
  ends: ['OfferDeleted'],
  also: {},
});

/** The one stream of a key in a project: two who create it at once meet there. */
export const offerId = ({ projectId, key }: OfferOf): string => derivedId('off', `${projectId}/${key}`);
