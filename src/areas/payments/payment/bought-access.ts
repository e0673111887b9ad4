import type { PurchasedAccess } from '../entitlement/purchases.api.js';
import type { AccessTerm, PaymentTerm } from '../offer/offer-terms.api.js';
import { factOf, factsOfKind, type ProcessorFact, type ProcessorFacts } from './processor-fact.js';
import { after } from './term-end.js';

export interface Bought {
  readonly method: 'processor' | 'manual' | 'free';
  /** In minor units, before any discount. */
  readonly price: number;
  readonly paymentTerm: PaymentTerm;
  readonly accessTerm: AccessTerm;
  readonly trialDays: number;
  readonly createdAt: string;
  readonly decision: 'approved' | 'rejected' | null;
  readonly decidedAt: string | null;
  readonly facts: ProcessorFacts;
}

/** Days for which access continues after a paid period if the next period has not been paid. */
const graceDays = 3;

const nothing: PurchasedAccess = { kind: 'none' };
const accessUntil = (until: string | null, graceUntil: string | null = null): PurchasedAccess => ({
  kind: 'held',
  until,
  graceUntil,
});

export function boughtAccess(bought: Bought): PurchasedAccess {
  switch (bought.method) {
    case 'free':
      return bought.price === 0 && bought.accessTerm === 'while_subscribed'
        ? accessUntil(null)
        : accessUntil(untilOf(bought, bought.createdAt));
    case 'manual':
      return manualAccess(bought);
    case 'processor':
      return bought.paymentTerm === 'one_time' ? accessPaidOnce(bought) : subscribedAccess(bought);
  }
}

function manualAccess(bought: Bought): PurchasedAccess {
  const { decision, decidedAt, trialDays, createdAt } = bought;
  if (decision === 'approved') return accessUntil(untilOf(bought, after(decidedAt ?? createdAt, trialDays, 'day')));
  // Earlier versions of the service started the trial before a manual payment was approved. If such a payment is
  // rejected, the access must be taken back.
  return decision === 'rejected' && trialDays > 0 ? { kind: 'taken-back' } : nothing;
}

function accessPaidOnce(bought: Bought): PurchasedAccess {
  const paid = factOf(bought.facts, 'paid');
  if (paid === undefined) return nothing;
  return wentBack(bought.facts, null) ? { kind: 'taken-back' } : accessUntil(untilOf(bought, paid.at));
}

function subscribedAccess(bought: Bought): PurchasedAccess {
  const { facts } = bought;
  const paid = factsOfKind(facts, 'invoice-paid').filter(({ amount }) => amount > 0);
  const trial = trialEnd(bought);
  const latest = latestOf(paid);
  // Access ends after a full refund or a dispute, whether of the whole subscription or only of its last paid period.
  if (wentBack(facts, null) || (latest !== undefined && wentBack(facts, latest.invoiceId)))
    return { kind: 'taken-back' };
  const until = latest === undefined ? undefined : untilOfInvoice(bought, paid);
  if (until === null) return accessUntil(null);
  const end = trial !== undefined && (until === undefined || trial > until) ? trial : until;
  if (end === undefined) return nothing;
  const goesOn = isBehind(facts) || isRenewing(bought, end);
  return accessUntil(end, goesOn ? after(end, graceDays, 'day') : null);
}

function untilOfInvoice(bought: Bought, paid: readonly InvoicePaid[]): string | null {
  if (bought.accessTerm === 'lifetime') return null;
  const ends = paid.map((invoice) =>
    bought.accessTerm === 'while_subscribed' ? invoice.until : (untilOf(bought, invoice.at) ?? invoice.until),
  );
  return ends.reduce((last, end) => (end > last ? end : last));
}

type InvoicePaid = Extract<ProcessorFact, { readonly kind: 'invoice-paid' }>;

function latestOf(paid: readonly InvoicePaid[]): InvoicePaid | undefined {
  return paid.toSorted((a, b) =>
    `${a.until} ${a.at} ${a.invoiceId}` < `${b.until} ${b.at} ${b.invoiceId}` ? 1 : -1,
  )[0];
}

/**
 * Returns the end that the processor reported for the subscription, otherwise the end on its free invoice, otherwise
 * the end by the agreed terms.
 */
function trialEnd({ facts, trialDays }: Bought): string | undefined {
  const begun = factOf(facts, 'subscribed');
  const free = latestOf(factsOfKind(facts, 'invoice-paid').filter(({ amount }) => amount === 0));
  if (begun === undefined && free === undefined) return undefined;
  const agreed = begun !== undefined && trialDays > 0 ? after(begun.at, trialDays, 'day') : undefined;
  return factOf(facts, 'trial')?.until ?? free?.until ?? agreed;
}

function isBehind(facts: ProcessorFacts): boolean {
  if (factOf(facts, 'ended') !== undefined) return false;
  const paid = factsOfKind(facts, 'invoice-paid');
  const lastPaid = paid.reduce((last, { at }) => (at > last ? at : last), '');
  const isPaid = (id: string) => paid.some(({ invoiceId }) => invoiceId === id);
  return factsOfKind(facts, 'invoice-failed').some(({ invoiceId, at }) => at >= lastPaid && !isPaid(invoiceId));
}

/**
 * With the access term `while_subscribed`, access continues at the start of a new period, although the processor
 * charges about an hour later.
 */
function isRenewing({ facts, accessTerm }: Bought, end: string): boolean {
  const period = factOf(facts, 'period');
  if (period === undefined || factOf(facts, 'ended') !== undefined) return false;
  return accessTerm === 'while_subscribed' && period.until > end;
}

/** A null `ofInvoice` means the whole payment. A partial refund has no effect. */
export function wentBack(facts: ProcessorFacts, ofInvoice: string | null): boolean {
  const refunded = factsOfKind(facts, 'refunded').some(({ invoiceId, full }) => invoiceId === ofInvoice && full);
  return refunded || factsOfKind(facts, 'disputed').some(({ invoiceId }) => invoiceId === ofInvoice);
}

/**
 * Returns null if access never ends. A subscription that is paid manually is not renewed, so it gives access for one
 * period.
 */
function untilOf({ accessTerm, paymentTerm }: Bought, from: string): string | null {
  if (accessTerm === 'lifetime') return null;
  if (accessTerm !== 'while_subscribed') return after(from, accessTerm.for, accessTerm.unit);
  return paymentTerm === 'one_time' ? null : after(from, paymentTerm.every, paymentTerm.interval);
}
