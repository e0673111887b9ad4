import type { Stripe } from 'stripe';
import type { Egress } from '../../../ports/network/egress.port.js';
import {
  type OpenedCheckout,
  type PaidFor,
  PaymentProcessor,
  type ProcessorAccount,
  type ProcessorEvent,
  ProcessorEventNotVerified,
  type ProcessorProduct,
  type RegisteredEndpoint,
  type RequestedCheckout,
  type RequestedProduct,
} from '../../../ports/network/payment-processor.port.js';
import { fetchOver } from '../../egress/egress-fetch.js';
import { stripeStepOf, toStripe } from './stripe-amounts.js';
import { handledEvents, idOf, isTime, newsOf, paymentIdKey, paymentIn } from './stripe-events.js';
import { translatingErrors, unlessMissing } from './stripe-faults.js';
import { createProduct, priceData, productsOf, putProduct } from './stripe-products.js';

export interface StripeOptions {
  readonly egress: Egress;
  /** Address to use instead of Stripe's own. */
  readonly url: string | undefined;
  /** Time limit of each attempt of a request. Default: 20 seconds. */
  readonly timeoutMs?: number;
}

const secondsOfTolerance = 300;

/** Imported on first use, because the library is large and few installations use it. */
const library = async () => (await import('stripe')).Stripe;

/** The library retries requests without a response. The idempotency keys make retries harmless. */
export class StripeProcessor extends PaymentProcessor {
  constructor(private readonly options: StripeOptions) {
    super();
  }

  override stepOf(currency: string): number {
    return stripeStepOf(currency);
  }

  override openCheckout(account: ProcessorAccount, checkout: RequestedCheckout): Promise<OpenedCheckout> {
    return this.request(account, async (stripe) => {
      const { paymentId, name, price, discount, trialDays, expiresAt } = checkout;
      const metadata = { [paymentIdKey]: paymentId, countersign_project: checkout.projectId };
      const isSubscription = price.billing !== null;
      // The discount of a subscription is a coupon for its first period only. The discount of a single payment reduces
      // the amount.
      const amount = isSubscription ? price.amount : price.amount - discount;
      const coupon = isSubscription && discount > 0 ? await this.coupon(stripe, checkout) : undefined;
      const trial = trialDays > 0 ? { trial_period_days: trialDays } : {};
      const session = await stripe.checkout.sessions.create(
        {
          mode: isSubscription ? 'subscription' : 'payment',
          line_items: [{ quantity: 1, price_data: { ...priceData({ ...price, amount }), product_data: { name } } }],
          client_reference_id: paymentId,
          metadata,
          success_url: checkout.successUrl,
          cancel_url: checkout.cancelUrl,
          expires_at: Math.floor(expiresAt / 1_000),
          // Off, so that Stripe charges exactly the agreed amount in the agreed currency.
          adaptive_pricing: { enabled: false },
          ...(isSubscription ? { subscription_data: { metadata, ...trial } } : { payment_intent_data: { metadata } }),
          ...(coupon === undefined ? {} : { discounts: [{ coupon }] }),
        },
        { idempotencyKey: `countersign-checkout-${paymentId}` },
      );
      return { id: session.id, url: session.url ?? '' };
    });
  }

  private async coupon(stripe: Stripe, { paymentId, discount, price, name }: RequestedCheckout): Promise<string> {
    const { id } = await stripe.coupons.create(
      {
        amount_off: toStripe(discount, price.currency),
        currency: price.currency,
        duration: 'once',
        max_redemptions: 1,
        name: [...name].slice(0, 40).join(''),
      },
      { idempotencyKey: `countersign-coupon-${paymentId}` },
    );
    return id;
  }

  override closeCheckout(account: ProcessorAccount, id: string): Promise<boolean> {
    return this.request(account, async (stripe) => {
      const { status } = await stripe.checkout.sessions.retrieve(id);
      if (status === 'open') await stripe.checkout.sessions.expire(id);
      return status !== 'complete';
    });
  }

  override registerEndpoint(account: ProcessorAccount, url: string, key: string): Promise<RegisteredEndpoint> {
    return this.request(account, async (stripe) => {
      const { API_VERSION } = await library();
      const endpoint = { url, enabled_events: [...handledEvents], api_version: API_VERSION };
      const { id, secret } = await stripe.webhookEndpoints.create(endpoint, { idempotencyKey: key });
      return { id, secret: secret ?? '' };
    });
  }

  override removeEndpoint(account: ProcessorAccount, id: string): Promise<void> {
    return this.request(account, async (stripe) => {
      await unlessMissing(stripe.webhookEndpoints.del(id));
    });
  }

  override products(account: ProcessorAccount): Promise<readonly ProcessorProduct[]> {
    return this.request(account, productsOf);
  }

  override putProduct(account: ProcessorAccount, product: RequestedProduct): Promise<ProcessorProduct> {
    return this.request(account, (stripe) => putProduct(stripe, product));
  }

  override createProduct(
    account: ProcessorAccount,
    product: Pick<RequestedProduct, 'name' | 'description' | 'price'>,
    key: string,
  ): Promise<ProcessorProduct> {
    return this.request(account, (stripe) => createProduct(stripe, product, key));
  }

  override paidFor(account: ProcessorAccount, paymentIntent: string): Promise<PaidFor> {
    return this.request(account, async (stripe) => {
      const intent = await unlessMissing(stripe.paymentIntents.retrieve(paymentIntent));
      if (intent === undefined) return { paymentId: null, invoiceId: null };
      const own = paymentIn(intent.metadata);
      if (own !== null) return { paymentId: own, invoiceId: null };
      const payment = { type: 'payment_intent', payment_intent: paymentIntent };
      const { data } = await stripe.invoicePayments.list({ payment, limit: 1 });
      const invoiceId = idOf(data[0]?.invoice);
      if (invoiceId === null) return { paymentId: null, invoiceId: null };
      const { parent } = await stripe.invoices.retrieve(invoiceId);
      return { paymentId: paymentIn(parent?.subscription_details?.metadata), invoiceId };
    });
  }

  override async eventOf(
    body: Uint8Array,
    signature: string | undefined,
    secret: string,
    now: number,
  ): Promise<ProcessorEvent> {
    const event = verified(await library(), body, signature ?? '', secret, now);
    const { id, type, livemode, created } = event;
    const { paymentId = null, news } = understood(event) ?? {};
    return { id, type, mode: livemode ? 'live' : 'test', createdAt: created * 1_000, paymentId, news };
  }

  private async request<Answer>(
    { secretKey }: ProcessorAccount,
    work: (stripe: Stripe) => Promise<Answer>,
  ): Promise<Answer> {
    const Library = await library();
    const { url, timeoutMs = 20_000 } = this.options;
    const { protocol, hostname, port } = new URL(url ?? 'https://api.stripe.com');
    const stripe = new Library(secretKey, {
      httpClient: Library.createFetchHttpClient(fetchOver(this.options.egress)),
      protocol: protocol === 'http:' ? 'http' : 'https',
      host: hostname,
      port: port || (protocol === 'http:' ? 80 : 443),
      timeout: timeoutMs,
      maxNetworkRetries: 2,
      telemetry: false,
    });
    return translatingErrors(Library, () => work(stripe));
  }
}

function verified(
  { webhooks }: typeof Stripe,
  body: Uint8Array,
  signature: string,
  secret: string,
  now: number,
): Stripe.Event {
  let event: Stripe.Event | null;
  try {
    event = webhooks.constructEvent(Buffer.from(body), signature, secret, secondsOfTolerance, undefined, now);
  } catch {
    throw new ProcessorEventNotVerified('The event is not signed by the processor.');
  }
  if (isEvent(event)) return event;
  throw new ProcessorEventNotVerified('The signed content is not an event.');
}

/** The library accepts any JSON as an event. */
function isEvent(body: Partial<Stripe.Event> | null): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const { id, type, created } = body;
  return typeof id === 'string' && typeof type === 'string' && isTime(created);
}

/** Returns undefined if the event does not have the form of its type, even though it is signed. */
function understood(event: Stripe.Event): ReturnType<typeof newsOf> {
  try {
    return newsOf(event);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
