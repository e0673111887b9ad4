import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parseStream } from '../../../src/kernel/event/stream-name.js';
import { EventStore, EventStoreUnavailable } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type Death, Fate } from '../../support/given/mortal-vault.js';
import { done } from '../../support/people.js';
import {
  type ProcessorEventBody,
  type StandInProcessor,
  startProcessor,
} from '../../support/servers/payment-processor.js';
import { openShop, type Shop } from '../../support/sites/shops.js';
import { vaultEntries } from '../../support/stores/vault-entries.js';

const fate = new Fate();
let processor: StandInProcessor;
let app: TestApp;
beforeAll(async () => {
  processor = await startProcessor();
  app = await startApp({
    environment: { PROCESSOR_URL: processor.url, EGRESS_ALLOW: '127.0.0.1' },
    replacements: [fate.provider],
  });
});
afterAll(async () => {
  await app.close();
  await processor.close();
});
afterEach(() => fate.revive());

const concerned = ['sitePayment', 'entitlement', 'coupon'];
/** Restarts the service on the same port, because webhooks and passes contain its address. */
const startAgain = async () => {
  app = await app.restart();
};

/** From its append number `count` that concerns purchases, the process can no longer reach the log. */
function diesAt(count: number, when: 'before' | 'after'): void {
  const store = app.app.get(EventStore, { strict: false });
  const append = store.append.bind(store);
  let seen = 0;
  jest.spyOn(store, 'append').mockImplementation(async (requests) => {
    const isConcerned = requests.some(({ stream }) => concerned.includes(parseStream(stream).category));
    if (isConcerned) seen += 1;
    if (seen < count) return append(requests);
    if (seen === count && when === 'after' && isConcerned) await append(requests);
    throw new EventStoreUnavailable('The process is dead.');
  });
}

/** A shop with an offer and a coupon for half its price that can be redeemed once. */
async function shopWithCoupon(): Promise<Shop> {
  const shop = await openShop(app, processor);
  await shop.offer();
  await done(app, 'site/createCoupon', { projectId: shop.projectId, code: 'HALF', percentOff: 50, maxRedemptions: 1 });
  return shop;
}

const couponOf = async ({ projectId }: Shop) => (await done(app, 'site/listCoupons', { projectId }))[0];
const entitlementOf = async ({ projectId, userId }: Shop) =>
  (await done(app, 'site/getEntitlements', { projectId, appUserId: userId }))[0];

/** Expects each consequence of the payment exactly once. */
async function isGranted(shop: Shop) {
  await eventually(
    () => couponOf(shop),
    ({ redemptions }) => redemptions === 1,
  );
  expect(await entitlementOf(shop)).toMatchObject({ status: 'active', history: [{ change: 'granted' }] });
}

const points = [1, 2, 3].flatMap((at) => [[at, 'before'] as const, [at, 'after'] as const]);

describe('a process that dies while a payment has its effects', () => {
  it.each(points)('at its append %i, %s it: what was approved is granted and counted once', async (at, when) => {
    const shop = await shopWithCoupon();
    const { paymentId } = (await shop.checkout({ couponCode: 'HALF' })).body;
    const approve = () =>
      app.call('site/approveManualPayment', { projectId: shop.projectId, paymentId }, undefined, {
        'idempotency-key': `approve-${paymentId}`,
      });
    diesAt(at, when);
    expect((await approve()).status).toBe(503);
    await startAgain();
    if (at === 1 && when === 'before') expect((await approve()).status).toBe(200);
    await isGranted(shop);
    expect((await approve()).status).toBe(200);
    await isGranted(shop);
  });

  it.each(points.slice(0, 4))('at its append %i, %s it: what was rejected frees its coupon', async (at, when) => {
    const shop = await shopWithCoupon();
    const { paymentId } = (await shop.checkout({ couponCode: 'HALF' })).body;
    const reject = () =>
      app.call('site/rejectManualPayment', { projectId: shop.projectId, paymentId }, undefined, {
        'idempotency-key': `reject-${paymentId}`,
      });
    diesAt(at, when);
    expect((await reject()).status).toBe(503);
    await startAgain();
    if (at === 1 && when === 'before') expect((await reject()).status).toBe(200);
    await eventually(
      async () => (await checkoutAgain(shop)).status,
      (status) => status === 200,
    );
    expect(await entitlementOf(shop)).toBeUndefined();
    expect((await couponOf(shop)).redemptions).toBe(0);
  });

  it.each(points)(
    'at its append %i, %s it: what the processor reported is granted and counted once',
    async (at, when) => {
      const shop = await shopWithCoupon();
      await shop.connect();
      const { paymentId } = (await shop.checkout({ couponCode: 'HALF' })).body;
      const session = processor.of('checkout.session').find((one) => one.client_reference_id === paymentId);
      const [paid] = processor.paid(session.id) as [ProcessorEventBody];
      diesAt(at, when);
      const { status } = await shop.deliver(paid);
      expect(status).toBe(at === 1 ? 503 : 200);
      await startAgain();
      // The processor repeats events that were not accepted, and sometimes those that were.
      expect((await redeliver(shop, paid)).status).toBe(200);
      await isGranted(shop);
    },
  );

  it.each(['before', 'after'] as const)('that ends with test money, %s its first: all of it ends', async (when) => {
    const shop = await openShop(app, processor);
    await shop.connect();
    for (const key of ['club', 'other']) {
      await shop.offer({ key });
      const { paymentId } = (await shop.checkout({ offerKey: key })).body;
      const session = processor.of('checkout.session').find((one) => one.client_reference_id === paymentId);
      for (const event of processor.paid(session.id)) await shop.deliver(event);
    }
    const statuses = async () => {
      const all = await done(app, 'site/getEntitlements', { projectId: shop.projectId, appUserId: shop.userId });
      return all.map(({ status }: { readonly status: string }) => status).join();
    };
    await eventually(statuses, (all) => all === 'active,active');
    diesAt(1, when);
    expect((await app.call('site/toggleProcessorMode', { projectId: shop.projectId, mode: 'live' })).status).toBe(503);
    await startAgain();
    await eventually(statuses, (all) => all === 'revoked,revoked');
  });

  const checkoutAgain = ({ projectId, pass }: Shop) =>
    app.send('POST', `/api/app/${projectId}/payments/checkout`, '{"offerKey":"club","couponCode":"HALF"}', {
      'content-type': 'application/json',
      'x-site-session': pass,
    });
});

/** Delivers the event to the present process. */
const redeliver = (shop: Shop, event: ProcessorEventBody) => shop.deliver(event, { to: app });

const deaths = (['seal', 'keep', 'destroy'] as const).flatMap((at) => [
  [at, 'before'] as const,
  [at, 'after'] as const,
]);

describe('a process that dies while it registers a webhook', () => {
  it.each(deaths)('%s, %s: the recorded webhook works, and no other secret remains', async (at, when) => {
    const shop = await openShop(app, processor);
    await shop.connect();
    const { projectId } = shop;
    const death: Death = { at, when, beginning: 'processor-webhook/' };
    fate.death = death;
    await app.call('site/registerProcessorWebhook', { projectId, mode: 'test' });
    expect(fate.died).toBe(true);
    fate.revive();
    await startAgain();
    const workspaceId = (await done(app, 'workspace/getWorkspace')).id;
    const connection = await done(app, 'site/getProcessorConnection', { projectId });
    expect(connection).toMatchObject({ connected: true });
    await done(app, 'site/registerProcessorWebhook', { projectId, mode: 'test' });
    const permanent = () =>
      vaultEntries(app, `processor-webhook/${workspaceId}/`).filter(({ expiresAt }) => expiresAt === null);
    const projects = ++registered;
    await eventually(
      async () => permanent().length,
      (count) => count === projects,
    );
  });

  let registered = 0;
  beforeAll(async () => {
    const workspaceId = (await done(app, 'workspace/getWorkspace')).id;
    const all = vaultEntries(app, `processor-webhook/${workspaceId}/`);
    registered = all.filter(({ expiresAt }) => expiresAt === null).length;
  });
});
