import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';
import { formDecoded } from './form-decoded.js';

// biome-ignore lint/suspicious/noExplicitAny: objects of the processor have every form.
type Any = any;

/**
 * Faults of the next requests, one for each. A number is the status of the response. `before` and `after` cut the
 * connection before or after the request is carried out.
 */
export type ProcessorFault = 400 | 403 | 500 | 503 | 429 | 'after' | 'before';

export interface ProcessorEventBody {
  readonly id: string;
  readonly object: 'event';
  readonly type: string;
  readonly created: number;
  readonly livemode: boolean;
  readonly api_version: string;
  readonly data: { readonly object: Any };
}

export interface StandInProcessor {
  readonly url: string;
  /** Requests, oldest first, without those that were lost or refused. */
  readonly requests: readonly {
    readonly method: string;
    readonly path: string;
    readonly form: Any;
    readonly key: string;
  }[];
  /** The processor's objects by id. */
  readonly objects: ReadonlyMap<string, Any>;
  of(kind: string): readonly Any[];
  /** Makes the processor refuse a key. By default, it accepts all keys that look like secret keys. */
  refuses(key: string): void;
  faults(...faults: readonly ProcessorFault[]): void;
  event(type: string, object: Any, more?: Partial<ProcessorEventBody>): ProcessorEventBody;
  /** Stores an object, as a change in the processor's dashboard does. */
  put(object: Any): void;
  forget(id: string): void;
  /**
   * Completes the payment of a session, and returns the events of it. For a subscription, they include the first
   * invoice.
   */
  paid(sessionId: string, more?: { readonly at?: number }): readonly ProcessorEventBody[];
  /** Creates a later invoice of a subscription. */
  invoice(subscriptionId: string, at: number, more?: Any): Any;
  close(): Promise<void>;
}

const day = 86_400;
/** Currencies whose amounts must end in 0: https://docs.stripe.com/currencies. */
const endInZero: readonly string[] = ['bhd', 'jod', 'kwd', 'omr', 'tnd'];

/** Starts a stand-in for Stripe with its protocol: forms, ids, Idempotency-Key, errors. It moves no money. */
export async function startProcessor(): Promise<StandInProcessor> {
  const objects = new Map<string, Any>();
  const requests: { method: string; path: string; form: Any; key: string }[] = [];
  const answers = new Map<string, { readonly asked: string; readonly status: number; readonly body: Any }>();
  const refused = new Set<string>();
  let faults: ProcessorFault[] = [];
  let made = 0;
  const id = (prefix: string) => `${prefix}_${++made}`;
  const of = (kind: string) => [...objects.values()].filter(({ object }) => object === kind);
  const put = (object: Any) => {
    objects.set(object.id, object);
    return object;
  };

  function act(method: string, path: string, form: Any, live: boolean): { status: number; body: Any } {
    const ok = (body: Any) => ({ status: 200, body });
    const wrong = (status: number, message: string, more: Any = {}) => ({
      status,
      body: { error: { type: 'invalid_request_error', message, ...more } },
    });
    const list = (data: readonly Any[]) => ok({ object: 'list', data, has_more: false, url: path });
    const [, kind = '', one = '', more] = /^\/v1\/(checkout\/sessions|[a-z_]+)(?:\/([^/?]+))?(\/.*)?$/.exec(path) ?? [];
    if (kind === 'checkout/sessions' && more === '/expire') {
      const session = objects.get(one);
      if (session?.status !== 'open')
        return wrong(400, 'Only Checkout Sessions with a status in ["open"] can be expired.');
      return ok(Object.assign(session, { status: 'expired' }));
    }
    if (more) return wrong(404, 'Unrecognized request URL.');
    if (method === 'DELETE') {
      return objects.delete(one)
        ? ok({ id: one, object: kind, deleted: true })
        : wrong(404, `No such ${kind}: '${one}'`);
    }
    if (method === 'GET') {
      if (one !== '') return objects.has(one) ? ok(shown(objects.get(one))) : wrong(404, `No such ${kind}: '${one}'`);
      if (kind === 'products') return list(of('product').map(shown));
      if (kind === 'prices') return list(of('price').filter(({ product }) => product === form.product));
      if (kind === 'invoice_payments') {
        return list(
          of('invoice_payment').filter(({ payment }) => payment.payment_intent === form.payment?.payment_intent),
        );
      }
      return wrong(404, 'Unrecognized request URL.');
    }
    switch (kind) {
      case 'checkout/sessions': {
        const price = form.line_items[0].price_data;
        if (!/^[a-z]{3}$/.test(price.currency) || price.currency === 'xxx') {
          return wrong(400, `Invalid currency: ${price.currency}.`, { param: 'line_items[0][price_data][currency]' });
        }
        const coupon = form.discounts ? objects.get(form.discounts[0].coupon).amount_off : 0;
        const trial = Number(form.subscription_data?.trial_period_days ?? 0);
        const total = Number(price.unit_amount) - coupon;
        if (endInZero.includes(price.currency) && total % 10 !== 0) {
          return wrong(400, `Amounts in ${price.currency} must end in 0.`);
        }
        return ok(
          put({
            id: id(live ? 'cs_live' : 'cs_test'),
            object: 'checkout.session',
            mode: form.mode,
            livemode: live,
            status: 'open',
            payment_status: 'unpaid',
            amount_total: trial > 0 ? 0 : total,
            currency: price.currency,
            client_reference_id: form.client_reference_id,
            metadata: form.metadata,
            success_url: form.success_url,
            cancel_url: form.cancel_url,
            expires_at: Number(form.expires_at),
            url: `https://checkout.example.com/c/${made}`,
            sent: form,
          }),
        );
      }
      case 'coupons':
        return ok(put({ id: id('co'), object: 'coupon', ...form, amount_off: Number(form.amount_off) }));
      case 'webhook_endpoints':
        return ok(
          put({ id: id('we'), object: 'webhook_endpoint', livemode: live, ...form, secret: `whsec_${id('s')}` }),
        );
      case 'products': {
        const { default_price_data: data, active = 'true', ...rest } = form;
        const before = objects.get(one);
        if (one !== '' && before === undefined) return wrong(404, `No such product: '${one}'`);
        if (one === '' && form.id !== undefined && objects.has(form.id)) return wrong(400, 'Product already exists.');
        const product = put({
          object: 'product',
          description: null,
          images: [],
          default_price: null,
          ...before,
          id: before?.id ?? id('prod'),
          ...rest,
          ...(rest.images === '' ? { images: [] } : {}),
          ...(rest.description === '' ? { description: null } : {}),
          active: String(active) === 'true',
        });
        if (data !== undefined) product.default_price = price(product.id, data).id;
        return ok(shown(product));
      }
      case 'prices':
        return ok(price(form.product, form));
      default:
        return wrong(404, 'Unrecognized request URL.');
    }
  }

  const price = (product: string, { currency, unit_amount: amount, recurring = null }: Any) =>
    put({
      id: id('price'),
      object: 'price',
      product,
      currency,
      unit_amount: Number(amount),
      recurring: recurring && { interval: recurring.interval, interval_count: Number(recurring.interval_count ?? 1) },
      active: true,
    });

  const shown = (object: Any) =>
    object.object === 'product' && object.default_price
      ? { ...object, default_price: objects.get(object.default_price) }
      : object;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const part of request) text += part;
    const { method = 'GET', headers } = request;
    const { pathname: path, search } = new URL(request.url ?? '/', 'http://processor');
    const form = formDecoded(method === 'GET' ? search.slice(1) : text);
    const key = String(headers.authorization ?? '').replace('Bearer ', '');
    const reply = (status: number, body: Any) => {
      response.writeHead(status, { 'content-type': 'application/json', 'request-id': id('req') });
      response.end(JSON.stringify(body));
    };
    const fault = faults.shift();
    if (fault === 'before') return void request.socket.destroy();
    if (typeof fault === 'number') return reply(fault, { error: { type: 'api_error', message: `Fault for ${key}` } });
    if (!/^[sr]k_(test|live)_/.test(key) || refused.has(key)) {
      return reply(401, { error: { type: 'invalid_request_error', message: `Invalid API Key provided: ${key}` } });
    }
    const idempotency = headers['idempotency-key'];
    const asked = `${method} ${path} ${text}`;
    const known = idempotency === undefined ? undefined : answers.get(`${key} ${idempotency}`);
    if (known !== undefined && known.asked !== asked) {
      return reply(400, { error: { type: 'idempotency_error', message: 'Keys for idempotent requests differ.' } });
    }
    const answer = known ?? act(method, path, form, key.includes('_live_'));
    if (known === undefined) requests.push({ method, path, form, key });
    if (idempotency !== undefined) answers.set(`${key} ${idempotency}`, { asked, ...answer });
    if (fault === 'after') return void request.socket.destroy();
    reply(answer.status, answer.body);
  }

  const event: StandInProcessor['event'] = (type, object, more = {}) => ({
    id: id('evt'),
    object: 'event',
    type,
    created: Math.floor(Date.now() / 1_000),
    livemode: object.livemode ?? false,
    api_version: Stripe.API_VERSION,
    data: { object: structuredClone(object) },
    ...more,
  });

  const invoice: StandInProcessor['invoice'] = (subscriptionId, at, more = {}) => {
    const subscription = objects.get(subscriptionId);
    const end = at + 30 * day;
    const intent = put({ id: id('pi'), object: 'payment_intent', metadata: {}, livemode: subscription.livemode });
    const one = put({
      id: id('in'),
      object: 'invoice',
      livemode: subscription.livemode,
      total: subscription.price,
      amount_paid: subscription.price,
      currency: subscription.currency,
      metadata: {},
      period_end: at,
      lines: { object: 'list', data: [{ period: { start: at, end } }] },
      status_transitions: { paid_at: at },
      parent: {
        type: 'subscription_details',
        subscription_details: { subscription: subscriptionId, metadata: subscription.metadata },
      },
      ...more,
    });
    put({
      id: id('inpay'),
      object: 'invoice_payment',
      invoice: one.id,
      payment: { type: 'payment_intent', payment_intent: intent.id },
    });
    return { ...one, intent: intent.id };
  };

  const paid: StandInProcessor['paid'] = (sessionId, { at = Math.floor(Date.now() / 1_000) } = {}) => {
    const session = objects.get(sessionId);
    const { sent, livemode } = session;
    const trial = Number(sent.subscription_data?.trial_period_days ?? 0);
    Object.assign(session, { status: 'complete', payment_status: trial > 0 ? 'no_payment_required' : 'paid' });
    if (session.mode === 'payment') {
      const { metadata } = sent.payment_intent_data;
      session.payment_intent = put({ id: id('pi'), object: 'payment_intent', metadata, livemode }).id;
      const charge = { id: id('ch'), object: 'charge', metadata, livemode, payment_intent: session.payment_intent };
      put({ ...charge, amount: session.amount_total, amount_refunded: 0, refunded: false, currency: session.currency });
      session.charge = charge.id;
      return [event('checkout.session.completed', session, { created: at })];
    }
    const subscription = put({
      id: id('sub'),
      object: 'subscription',
      livemode,
      metadata: sent.subscription_data.metadata,
      status: trial > 0 ? 'trialing' : 'active',
      items: { object: 'list', data: [{ current_period_end: at + (trial > 0 ? trial : 30) * day }] },
      trial_end: trial > 0 ? at + trial * day : null,
      price: Number(sent.line_items[0].price_data.unit_amount),
      currency: session.currency,
    });
    session.subscription = subscription.id;
    const end = trial > 0 ? { lines: { data: [{ period: { start: at, end: at + trial * day } }] } } : {};
    const first = invoice(subscription.id, at, {
      total: session.amount_total,
      amount_paid: session.amount_total,
      ...end,
    });
    return [
      event('checkout.session.completed', session, { created: at }),
      event('invoice.paid', first, { created: at }),
      event('customer.subscription.updated', subscription, { created: at }),
    ];
  };

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    objects,
    of,
    refuses: (key) => void refused.add(key),
    faults: (...more) => {
      faults = [...more];
    },
    event,
    put,
    forget: (one) => void objects.delete(one),
    paid,
    invoice,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Signs a payload with the processor's own library. */
export function signatureOf(payload: string, secret: string, timestamp = Math.floor(Date.now() / 1_000)): string {
  return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
}
