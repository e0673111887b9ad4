import type { Reply, TestApp } from '../app.js';
import { done } from '../people.js';
import { type ProcessorEventBody, type StandInProcessor, signatureOf } from '../servers/payment-processor.js';
import { type SiteVisitors, siteVisitors } from './site-visitors.js';

/** A site that sells, with a buyer who is signed in. */
export interface Shop extends SiteVisitors {
  readonly userId: string;
  readonly pass: string;
  /** Creates an offer. By default, its key is `club`, and it costs 10 dollars once, for life. */
  offer(more?: object): Promise<void>;
  checkout(body?: object, pass?: string): Promise<Reply>;
  /** Returns the buyer's entitlement with this key. */
  entitlement(key?: string): Promise<{ readonly status: string; readonly [field: string]: unknown } | undefined>;
  /** Stores a key of the processor and registers a webhook, in this mode. */
  connect(mode?: 'test' | 'live'): Promise<void>;
  /** Delivers an event as the processor does, signed with the secret of the mode's webhook. */
  deliver(
    event: ProcessorEventBody,
    more?: { readonly secret?: string; readonly timestamp?: number; readonly to?: TestApp },
  ): Promise<Reply>;
  mine(): Promise<{ readonly payments: readonly Payment[]; readonly entitlements: readonly object[] }>;
}

interface Payment {
  readonly id: string;
  readonly status: string;
  readonly [field: string]: unknown;
}

let made = 0;

export async function openShop(app: TestApp, processor?: StandInProcessor): Promise<Shop> {
  const site = await siteVisitors(app);
  const { projectId } = site;
  const email = `buyer-${++made}@example.com`;
  const { id: userId } = await site.user(email);
  const pass = await site.logIn(email);
  const endpoint = (live: boolean) =>
    processor
      ?.of('webhook_endpoint')
      .filter(({ url, livemode }) => url.includes(`/${projectId}/`) && livemode === live)
      .at(-1);
  return {
    ...site,
    userId,
    pass,
    offer: (more = {}) =>
      done(app, 'site/createOffer', { projectId, key: 'club', name: 'Club', amount: 1_000, ...more }),
    checkout: (body = {}, as = pass) => site.post('payments/checkout', { offerKey: 'club', ...body }, as),
    entitlement: async (key = 'club') => {
      const all = await done(app, 'site/getEntitlements', { projectId, appUserId: userId });
      return all.find((one: { readonly key: string }) => one.key === key);
    },
    connect: async (mode = 'test') => {
      const name = `PAYMENT_${mode.toUpperCase()}_SECRET_KEY`;
      await done(app, 'site/createEnvVar', { projectId, name, value: `sk_${mode}_51Shop` });
      await done(app, 'site/registerProcessorWebhook', { projectId, mode });
    },
    deliver: (event, { secret, timestamp, to = app } = {}) => {
      const { url, secret: own } = endpoint(event.livemode);
      const body = JSON.stringify(event);
      return to.send('POST', new URL(url).pathname, body, {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': signatureOf(body, secret ?? own, timestamp),
      });
    },
    mine: async () => (await site.get('payments/mine', pass)).body,
  };
}
