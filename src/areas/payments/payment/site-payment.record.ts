import type { DomainEvent, EventMetadata } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { AccessTerm, PaymentTerm } from '../offer/offer-terms.api.js';
import { refuse } from '../payments.refusals.js';
import { type Facts, learned, type ProcessorFact } from './processor-fact.js';

/** Payments of one mode know nothing of those of the other. */
export type PaymentMode = 'test' | 'live';
export type PaymentMethod = 'processor' | 'manual' | 'free';
export type PaymentStatus = 'pending' | 'succeeded' | 'rejected' | 'failed' | 'expired' | 'refunded';

/** What was agreed at the moment of the purchase. Later changes of the offer or the coupon concern later purchases alone. */
export interface PurchaseFacts {
  readonly projectId: string;
  readonly appUserId: string;
  readonly offerKey: string;
  readonly offerName: string;
  readonly entitlementKey: string;
  /** Of the offer. Money is in minor units of the currency. */
  readonly price: number;
  /** What the coupon takes off the price, of the first period alone. */
  readonly discount: number;
  /** What is to be paid: the price without the discount. */
  readonly amount: number;
  /** ISO code in lower case. */
  readonly currency: string;
  readonly couponCode: string | null;
  readonly paymentTerm: PaymentTerm;
  readonly accessTerm: AccessTerm;
  /** 0: none. */
  readonly trialDays: number;
  readonly method: PaymentMethod;
  /** Null where no processor is asked. */
  readonly mode: PaymentMode | null;
  /** Until when it can be paid or decided. Null: at once, or by an earlier version without end. */
  readonly expiresAt: string | null;
}

/** A word about the payment that the workspace's account events repeat. */
export type PaymentNews = 'pending' | 'succeeded' | 'failed' | 'refunded';

/** What the members of a workspace are told when a payment is not what was agreed. */
export interface PaymentNotice {
  readonly id: string;
  readonly summary: string;
  /** Until when the notice counts as new. Nothing of it can be undone. */
  readonly expiresAt: string;
}

/** Stands in each event that others are told of: who paid for what. */
export type PaymentOf = Pick<PurchaseFacts, 'projectId' | 'appUserId' | 'offerKey' | 'amount' | 'currency'>;

export type SitePaymentEvent =
  | DomainEvent<'SitePaymentStarted', PurchaseFacts>
  | DomainEvent<'SitePaymentCheckoutOpened', { readonly checkoutId: string }>
  /** The checkout could not be opened at the processor. */
  | DomainEvent<'SitePaymentFailed', PaymentOf & { readonly reason: string }>
  /** Nobody paid or decided in time, or another checkout of the buyer took its place. */
  | DomainEvent<'SitePaymentExpired', { readonly expiredAt: string }>
  | DomainEvent<'SitePaymentApproved', PaymentOf & { readonly decidedAt: string }>
  | DomainEvent<'SitePaymentRejected', PaymentOf & { readonly decidedAt: string; readonly reason: string | null }>
  /** One event of the processor taught something new. `status` is what the payment then is. */
  | DomainEvent<
      'SitePaymentHeardOf',
      PaymentOf & {
        readonly processorEventId: string;
        readonly fact: ProcessorFact;
        readonly status: PaymentStatus;
        readonly news: PaymentNews | null;
        readonly notice?: PaymentNotice;
      }
    >
  /** Its project is gone. */
  | DomainEvent<'SitePaymentRemoved', { readonly projectId: string }>;

export interface PaymentDecider {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

export interface SitePayment extends Document, PurchaseFacts {
  readonly status: PaymentStatus;
  /** Why it was rejected, or failed. */
  readonly reason: string | null;
  readonly decision: 'approved' | 'rejected' | null;
  readonly decidedAt: string | null;
  readonly decidedBy: PaymentDecider | null;
  readonly checkoutId: string | null;
  readonly facts: Facts;
  /** When the processor last told something new. */
  readonly heardAt: string | null;
  /** When it was first known to have succeeded, by our clock. A renewal or a refund later does not move it. */
  readonly succeededAt: string | null;
  readonly createdAt: string;
}

const undecided = { reason: null, decision: null, decidedAt: null, decidedBy: null, checkoutId: null } as const;

/** Holds nothing personal: a payment outlives the user who made it. */
export const sitePayments = plainRecord<SitePayment, SitePaymentEvent>()({
  category: 'sitePayment',
  auditedFor: 'site.money',
  shownBy: 'site/listManualPayments',
  of: { project: 'projectId' },
  undoing: 'Money is given back at the processor; grant or revoke the entitlement by hand.',
  missing: () => refuse('payment-not-found'),
  collection: {
    name: 'sitePayments',
    version: 2,
    indexes: [
      { fields: ['workspaceId', 'projectId', 'method', 'status', 'createdAt'] },
      { fields: ['workspaceId', 'projectId', 'mode', 'createdAt'] },
      { fields: ['workspaceId', 'appUserId', 'createdAt'] },
      { fields: ['workspaceId', 'projectId', 'heardAt'] },
      { fields: ['status', 'expiresAt'] },
    ],
  },
  begins: {
    SitePaymentStarted: ({ data, metadata }) => ({
      ...data,
      ...undecided,
      ...(data.method === 'free' ? succeeded(metadata) : { status: 'pending', succeededAt: null }),
      facts: {},
      heardAt: null,
    }),
  },
  merges: ['SitePaymentCheckoutOpened'],
  ends: ['SitePaymentRemoved'],
  also: {
    SitePaymentFailed: (_, { data: { reason } }) => ({ status: 'failed', reason }),
    SitePaymentExpired: () => ({ status: 'expired' }),
    SitePaymentApproved: (_, { data: { decidedAt }, metadata }) => ({
      ...succeeded(metadata),
      decision: 'approved',
      decidedAt,
      decidedBy: deciderOf(metadata.actor),
    }),
    SitePaymentRejected: (_, { data: { decidedAt, reason }, metadata: { actor } }) => ({
      status: 'rejected',
      decision: 'rejected',
      reason,
      decidedAt,
      decidedBy: deciderOf(actor),
    }),
    SitePaymentHeardOf: ({ facts, reason, succeededAt }, { data: { fact, status }, metadata }) => ({
      status,
      succeededAt: succeededAt ?? (status === 'succeeded' ? metadata.at : null),
      facts: learned(facts, fact),
      heardAt: metadata.at,
      reason: fact.kind === 'mismatch' ? fact.problem : reason,
    }),
  },
});

const succeeded = ({ at }: EventMetadata) => ({ status: 'succeeded', succeededAt: at }) as const;

const deciderOf = ({ kind, id, name }: PaymentDecider): PaymentDecider => ({ kind, id, name });
