import type { Stripe } from 'stripe';
import type { ProcessorNews } from '../../../ports/network/payment-processor.port.js';
import { fromStripe } from './stripe-amounts.js';

/** Metadata key of our payment's id. Every object that is created for the payment has it. */
export const paymentIdKey = 'countersign_payment';

export const handledEvents = [
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'invoice.paid',
  'invoice.payment_failed',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'charge.refunded',
  'charge.dispute.created',
] as const;

interface PaymentNews {
  readonly paymentId: string | null;
  readonly news: ProcessorNews;
}

export function newsOf(event: Stripe.Event): PaymentNews | undefined {
  switch (event.type) {
    case 'checkout.session.completed': {
      const session = event.data.object;
      return checkout(session, session.payment_status === 'unpaid' ? 'awaited' : 'paid');
    }
    case 'checkout.session.expired':
      return checkout(event.data.object, 'expired');
    case 'checkout.session.async_payment_succeeded':
      return checkout(event.data.object, 'paid');
    case 'checkout.session.async_payment_failed':
      return checkout(event.data.object, 'failed');
    case 'invoice.paid':
      return invoice(event.data.object, 'paid', event.created);
    case 'invoice.payment_failed':
      return invoice(event.data.object, 'failed', event.created);
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted': {
      const { metadata, trial_end: trialEnd, status, items } = event.data.object;
      const ended = event.type === 'customer.subscription.deleted';
      const ends = status === 'active' ? items.data.map((item) => item.current_period_end) : [];
      const periodEnd = ends.length === 0 ? null : Math.max(...ends);
      const news = {
        kind: 'subscription',
        ended,
        trialEnd: msOrNull(trialEnd),
        periodEnd: msOrNull(periodEnd),
      } as const;
      return { paymentId: paymentIn(metadata), news };
    }
    case 'charge.refunded': {
      const { metadata, payment_intent: intent, amount_refunded: back, currency, refunded: full } = event.data.object;
      const amount = fromStripe(back, currency);
      return { paymentId: paymentIn(metadata), news: { kind: 'refund', paymentIntent: idOf(intent), amount, full } };
    }
    case 'charge.dispute.created': {
      const { metadata, payment_intent: intent } = event.data.object;
      return { paymentId: paymentIn(metadata), news: { kind: 'dispute', paymentIntent: idOf(intent) } };
    }
    default:
      return undefined;
  }
}

type CheckoutState = Extract<ProcessorNews, { readonly kind: 'checkout' }>['state'];

function checkout(session: Stripe.Checkout.Session, state: CheckoutState): PaymentNews {
  const { id: checkoutId, mode, amount_total: total, currency, metadata } = session;
  const amount = total === null ? null : fromStripe(total, currency);
  const paymentId = paymentIn(metadata) ?? session.client_reference_id;
  const isSubscription = mode === 'subscription';
  return { paymentId, news: { kind: 'checkout', state, checkoutId, isSubscription, amount, currency } };
}

/** @param created time of the event, in seconds since 1970 */
function invoice(one: Stripe.Invoice, state: 'paid' | 'failed', created: number): PaymentNews | undefined {
  const { id, total, currency, parent, lines, status_transitions: moments } = one;
  const amount = fromStripe(total, currency);
  const ends = lines.data.map(({ period }) => period.end);
  const until = msOf(Math.max(one.period_end, ...ends));
  const at = msOf((state === 'paid' ? moments.paid_at : null) ?? created);
  const paymentId = paymentIn(parent?.subscription_details?.metadata ?? one.metadata);
  return { paymentId, news: { kind: 'invoice', state, invoiceId: id, amount, currency, at, until } };
}

export const paymentIn = (metadata: Stripe.Metadata | null | undefined): string | null =>
  metadata?.[paymentIdKey] ?? null;

export const idOf = (one: string | { readonly id: string } | null | undefined): string | null =>
  (typeof one === 'string' ? one : one?.id) ?? null;

const lastSecond = 253_402_300_799;

export const isTime = (seconds: unknown): seconds is number =>
  typeof seconds === 'number' && seconds >= 0 && seconds <= lastSecond;

function msOf(seconds: number): number {
  if (!isTime(seconds)) throw new TypeError('The payment processor sent an invalid time.');
  return seconds * 1_000;
}

const msOrNull = (seconds: number | null | undefined): number | null =>
  seconds === null || seconds === undefined ? null : msOf(seconds);
