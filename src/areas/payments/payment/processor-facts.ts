import type { ProcessorNews } from '../../../ports/network/payment-processor.port.js';
import type { ProcessorFact } from './processor-fact.js';
import type { SitePayment } from './site-payment.record.js';

export interface ReportedNews {
  readonly news: ProcessorNews;
  /** Time of the event at the processor, in milliseconds since 1970. */
  readonly at: number;
  readonly invoiceId: string | null;
}

/**
 * Returns undefined if the event states no fact about this payment, for example because it concerns another checkout. A
 * wrong amount or currency becomes a mismatch, which has no effect.
 */
export function factIn(payment: SitePayment, { news, at: ms, invoiceId }: ReportedNews): ProcessorFact | undefined {
  const at = new Date(ms).toISOString();
  switch (news.kind) {
    case 'checkout':
      return checkoutFact(payment, news, at);
    case 'invoice':
      return payment.paymentTerm === 'one_time' ? undefined : invoiceFact(payment, news);
    case 'subscription':
      if (news.ended) return { kind: 'ended', at };
      if (news.periodEnd !== null) return { kind: 'period', at, until: new Date(news.periodEnd).toISOString() };
      return news.trialEnd === null ? undefined : { kind: 'trial', at, until: new Date(news.trialEnd).toISOString() };
    case 'refund':
      return { kind: 'refunded', invoiceId, at, amount: news.amount, full: news.full };
    case 'dispute':
      return { kind: 'disputed', invoiceId, at };
  }
}

type Checkout = Extract<ProcessorNews, { readonly kind: 'checkout' }>;
type Invoice = Extract<ProcessorNews, { readonly kind: 'invoice' }>;

function checkoutFact(payment: SitePayment, news: Checkout, at: string): ProcessorFact | undefined {
  const { checkoutId: object, state, isSubscription, amount, currency } = news;
  if (payment.checkoutId !== null && payment.checkoutId !== object) return undefined;
  if (isSubscription === (payment.paymentTerm === 'one_time')) return undefined;
  switch (state) {
    case 'expired':
      return { kind: 'checkout-expired', at };
    case 'failed':
      return { kind: 'not-paid', at };
    case 'awaited':
      return { kind: 'awaited', at };
    case 'paid': {
      const agreed = isSubscription && payment.trialDays > 0 ? [0, payment.amount] : [payment.amount];
      const problem = mismatchOf(payment, agreed, amount, currency);
      if (problem !== undefined) return { kind: 'mismatch', object, at, problem };
      return { kind: isSubscription ? 'subscribed' : 'paid', at };
    }
  }
}

/**
 * A paid invoice must have the discounted amount, the full price or, with a trial, 0. The full price is valid because a
 * discount applies only to the first payment.
 */
function invoiceFact(
  payment: SitePayment,
  { invoiceId, state, amount, currency, at: ms, until }: Invoice,
): ProcessorFact {
  const at = new Date(ms).toISOString();
  if (state === 'failed') return { kind: 'invoice-failed', invoiceId, at };
  const agreed = [payment.amount, payment.price, ...(payment.trialDays > 0 ? [0] : [])];
  const problem = mismatchOf(payment, agreed, amount, currency);
  if (problem !== undefined) return { kind: 'mismatch', object: invoiceId, at, problem };
  return { kind: 'invoice-paid', invoiceId, at, until: new Date(until).toISOString(), amount };
}

function mismatchOf(
  payment: SitePayment,
  agreed: readonly number[],
  amount: number | null,
  currency: string | null,
): string | undefined {
  if (amount !== null && agreed.includes(amount) && currency?.toLowerCase() === payment.currency) return undefined;
  const inWords = agreed.map((one) => `${one} ${payment.currency}`).join(' or ');
  return `the processor charged ${amount} ${currency}, but ${inWords} was agreed.`;
}
