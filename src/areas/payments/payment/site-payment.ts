import type { PurchasedAccess } from '../entitlement/purchases.api.js';
import { refuse } from '../payments.refusals.js';
import { boughtAccess } from './bought-access.js';
import { factOf, factsOfKind, learned, type ProcessorFact, type ProcessorFacts } from './processor-fact.js';
import type {
  PaymentNews,
  PaymentNotice,
  PaymentOf,
  PaymentStatus,
  PurchaseFacts,
  SitePayment,
  SitePaymentEvent,
} from './site-payment.record.js';

const dayMs = 24 * 3_600_000;
const noticedForMs = 30 * dayMs;
/** Time in milliseconds, after a checkout's expiry, for which the service still waits for the processor's report. */
const expiryPatienceMs = 3_600_000;
/** A bank debit takes up to two weeks. If its last report is lost, the payment must not stay open for ever. */
const awaitedPatienceMs = 30 * dayMs;

export const startPayment = (facts: PurchaseFacts): readonly SitePaymentEvent[] => [
  { type: 'SitePaymentStarted', data: facts },
];

export function openCheckout(before: SitePayment, checkoutId: string): readonly SitePaymentEvent[] {
  return before.checkoutId === null ? [{ type: 'SitePaymentCheckoutOpened', data: { checkoutId } }] : [];
}

/**
 * Does nothing if the processor has already reported something about the payment. If the processor reports later that
 * the payment was paid, that report overrides the failure.
 */
export function failPayment(before: SitePayment, reason: string): readonly SitePaymentEvent[] {
  const { status, facts } = before;
  const isOpen = status === 'pending' && Object.keys(facts).length === 0;
  return isOpen ? [{ type: 'SitePaymentFailed', data: { ...ofPayment(before), reason } }] : [];
}

export function approvePayment(before: SitePayment, now: string): readonly SitePaymentEvent[] {
  mustBePending(before);
  return [{ type: 'SitePaymentApproved', data: { ...ofPayment(before), decidedAt: now } }];
}

export function rejectPayment(
  before: SitePayment,
  now: string,
  reason: string | undefined,
): readonly SitePaymentEvent[] {
  mustBePending(before);
  return [{ type: 'SitePaymentRejected', data: { ...ofPayment(before), decidedAt: now, reason: reason ?? null } }];
}

function ofPayment({ projectId, appUserId, offerKey, amount, currency }: SitePayment): PaymentOf {
  return { projectId, appUserId, offerKey, amount, currency };
}

function mustBePending({ method, status }: SitePayment): void {
  if (method !== 'manual') refuse('payment-not-found');
  if (status !== 'pending') refuse('payment-decided', { status });
}

/**
 * A processor's checkout expires some time after its deadline, so that the processor's own report can arrive first. A
 * report that arrives later still counts.
 */
export function expirePayment(before: SitePayment, now: number): readonly SitePaymentEvent[] {
  const { method, expiresAt, facts } = before;
  const isAwaited = factOf(facts, 'awaited') !== undefined;
  const patienceMs = method !== 'processor' ? 0 : isAwaited ? awaitedPatienceMs : expiryPatienceMs;
  return expiresAt !== null && Date.parse(expiresAt) + patienceMs <= now ? closePayment(before, now, true) : [];
}

/**
 * @param evenIfAwaited whether to close a payment whose money is on its way: if the money has no effect any more
 * (a test payment on a live site), or if no report about it came for a long time
 */
export function closePayment(
  { status, facts }: SitePayment,
  now: number,
  evenIfAwaited = false,
): readonly SitePaymentEvent[] {
  if (status !== 'pending' || (!evenIfAwaited && factOf(facts, 'awaited') !== undefined)) return [];
  return [{ type: 'SitePaymentExpired', data: { expiredAt: new Date(now).toISOString() } }];
}

export interface PaymentReport {
  readonly processorEventId: string;
  readonly fact: ProcessorFact;
  readonly now: number;
  readonly noticeId: string;
}

export function recordReport(
  before: SitePayment,
  { processorEventId, fact, now, noticeId }: PaymentReport,
): readonly SitePaymentEvent[] {
  const facts = learned(before.facts, fact);
  if (facts === before.facts) return [];
  const after = { ...before, facts };
  const status = statusByFacts(after);
  const news = newsOf(before, { ...after, status }, fact);
  const notice = fact.kind === 'mismatch' ? { notice: noticeOf(before, fact.problem, now, noticeId) } : {};
  return [
    { type: 'SitePaymentHeardOf', data: { ...ofPayment(before), processorEventId, fact, status, news, ...notice } },
  ];
}

/** If money was received, the payment succeeded, even if the checkout had expired or failed before. */
function statusByFacts(payment: SitePayment): PaymentStatus {
  const { facts } = payment;
  if (wasBought(payment)) return boughtAccess(payment).kind === 'taken-back' ? 'refunded' : 'succeeded';
  if (factOf(facts, 'not-paid') !== undefined || factOf(facts, 'mismatch') !== undefined) return 'failed';
  if (factOf(facts, 'checkout-expired') !== undefined) return 'expired';
  return payment.status === 'expired' || payment.status === 'failed' ? payment.status : 'pending';
}

function wasBought({ paymentTerm, facts }: Pick<SitePayment, 'paymentTerm' | 'facts'>): boolean {
  if (paymentTerm === 'one_time') return factOf(facts, 'paid') !== undefined;
  return factOf(facts, 'subscribed') !== undefined || factOf(facts, 'invoice-paid') !== undefined;
}

/**
 * Every payment of a subscription is news. The first payment is news only once, although the processor reports it with
 * the checkout and with the first invoice.
 */
function newsOf(before: SitePayment, after: SitePayment, fact: ProcessorFact): PaymentNews | null {
  if (!hasMoney(before) && hasMoney(after)) return 'succeeded';
  if (fact.kind === 'refunded' || fact.kind === 'disputed') return 'refunded';
  if (fact.kind === 'invoice-paid') return fact.amount > 0 && paidInvoices(before.facts) > 0 ? 'succeeded' : null;
  if (fact.kind === 'awaited') return 'pending';
  const becameFailed = after.status === 'failed' && before.status !== 'failed';
  return fact.kind === 'invoice-failed' || fact.kind === 'mismatch' || becameFailed ? 'failed' : null;
}

const paidInvoices = (facts: ProcessorFacts) =>
  factsOfKind(facts, 'invoice-paid').filter(({ amount }) => amount > 0).length;

function hasMoney({ facts, trialDays }: SitePayment): boolean {
  const isPaid = factOf(facts, 'paid') !== undefined || paidInvoices(facts) > 0;
  return isPaid || (trialDays === 0 && factOf(facts, 'subscribed') !== undefined);
}

function noticeOf({ offerKey }: SitePayment, problem: string, now: number, id: string): PaymentNotice {
  const expiresAt = new Date(now + noticedForMs).toISOString();
  return { id, summary: `A payment for the offer ${offerKey} granted nothing: ${problem}`, expiresAt };
}

export const purchasedAccess = (payment: SitePayment): PurchasedAccess => boughtAccess(payment);

export const removePayment = ({ projectId }: SitePayment): readonly SitePaymentEvent[] => [
  { type: 'SitePaymentRemoved', data: { projectId } },
];
