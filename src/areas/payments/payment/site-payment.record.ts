import type { DomainEvent, EventMetadata } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { AccessTerm, PaymentTerm } from '../offer/offer-terms.api.js';
import { refuse } from '../payments.refusals.js';
import { learned, type ProcessorFact, type ProcessorFacts } from './processor-fact.js';

/** Test payments give no access on a live site. */
export type PaymentMode = 'test' | 'live';
export type PaymentMethod = 'processor' | 'manual' | 'free';
export type PaymentStatus = 'pending' | 'succeeded' | 'rejected' | 'failed' | 'expired' | 'refunded';

/** Later changes of the offer or the coupon do not affect these terms. */
export interface PurchaseFacts {
  readonly projectId: string;
  readonly appUserId: string;
  readonly offerKey: string;
  readonly offerName: string;
  readonly entitlementKey: string;
  /** The offer's price. All amounts are in minor units of the currency. */
  readonly price: number;
  /** Applies only to the first period. */
  readonly discount: number;
  /** The price minus the discount. */
  readonly amount: number;
  /** ISO 4217 code in lower case. */
  readonly currency: string;
  readonly couponCode: string | null;
  readonly paymentTerm: PaymentTerm;
  readonly accessTerm: AccessTerm;
  readonly trialDays: number;
  readonly method: PaymentMethod;
  /** `null` if the purchase does not involve a processor. */
  readonly mode: PaymentMode | null;
  /**
   * `null` if the payment was completed at once. Payments of earlier versions of the service also have `null` and never
   * expire.
   */
  readonly expiresAt: string | null;
}

export type PaymentNews = 'pending' | 'succeeded' | 'failed' | 'refunded';

export interface PaymentNotice {
  readonly id: string;
  readonly summary: string;
  /** The notice is shown as new until this time (ISO 8601). */
  readonly expiresAt: string;
}

export type PaymentOf = Pick<PurchaseFacts, 'projectId' | 'appUserId' | 'offerKey' | 'amount' | 'currency'>;

export type SitePaymentEvent =
  | DomainEvent<'SitePaymentStarted', PurchaseFacts>
  | DomainEvent<'SitePaymentCheckoutOpened', { readonly checkoutId: string }>
  | DomainEvent<'SitePaymentFailed', PaymentOf & { readonly reason: string }>
  | DomainEvent<'SitePaymentExpired', { readonly expiredAt: string }>
  | DomainEvent<'SitePaymentApproved', PaymentOf & { readonly decidedAt: string }>
  | DomainEvent<'SitePaymentRejected', PaymentOf & { readonly decidedAt: string; readonly reason: string | null }>
  /** The processor reported a new fact. `status` is the payment's status after this event. */
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
  | DomainEvent<'SitePaymentRemoved', { readonly projectId: string }>;

export interface PaymentDecider {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

export interface SitePayment extends Document, PurchaseFacts {
  readonly status: PaymentStatus;
  readonly reason: string | null;
  readonly decision: 'approved' | 'rejected' | null;
  readonly decidedAt: string | null;
  readonly decidedBy: PaymentDecider | null;
  readonly checkoutId: string | null;
  readonly facts: ProcessorFacts;
  readonly heardAt: string | null;
  /**
   * Time at which the payment was first reported as successful, by the service's clock. Later renewals and refunds do
   * not change it.
   */
  readonly succeededAt: string | null;
  /** Time at which the payment, or the latest renewal of it, was reported as paid, by the service's clock. */
  readonly paidAt: string | null;
  readonly createdAt: string;
}

const undecided = { reason: null, decision: null, decidedAt: null, decidedBy: null, checkoutId: null } as const;

/** Events contain no personal data, because the payment remains after its user is deleted. */
export const sitePayments = plainRecord<SitePayment, SitePaymentEvent>()({
  category: 'sitePayment',
  auditedFor: 'site.money',
  shownBy: 'site/listManualPayments',
  of: { project: 'projectId' },
  inner: ['paidAt'],
  undoing: 'Refund the money at the payment processor, and grant or revoke the entitlement by hand.',
  missing: () => refuse('payment-not-found'),
  collection: {
    name: 'sitePayments',
    version: 3,
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
      ...(data.method === 'free' ? succeeded(metadata) : { status: 'pending', succeededAt: null, paidAt: null }),
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
    SitePaymentHeardOf: ({ facts, reason, succeededAt, paidAt }, { data: { fact, status }, metadata }) => ({
      status,
      succeededAt: succeededAt ?? (status === 'succeeded' ? metadata.at : null),
      paidAt: isMoney(fact) || (paidAt === null && status === 'succeeded') ? metadata.at : paidAt,
      facts: learned(facts, fact),
      heardAt: metadata.at,
      reason: fact.kind === 'mismatch' ? fact.problem : reason,
    }),
  },
});

const succeeded = ({ at }: EventMetadata) => ({ status: 'succeeded', succeededAt: at, paidAt: at }) as const;

const isMoney = (fact: ProcessorFact): boolean =>
  fact.kind === 'paid' || (fact.kind === 'invoice-paid' && fact.amount > 0);

const deciderOf = ({ kind, id, name }: PaymentDecider): PaymentDecider => ({ kind, id, name });
