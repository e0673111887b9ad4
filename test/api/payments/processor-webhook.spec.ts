import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import {
  type ProcessorEventBody,
  type StandInProcessor,
  signatureOf,
} from '../../support/servers/payment-processor.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { openShop, type Shop } from '../../support/sites/shops.js';

const day = 86_400;
let clock: SettableClock;
let processor: StandInProcessor;
let app: OutsideApp;
let shop: Shop;
beforeAll(async () => {
  app = await sharedOutside();
  ({ clock, processor } = app);
});
afterAll(() => app?.close());
beforeEach(async () => {
  clock.set(Date.now());
  shop = await openShop(app, processor);
  await shop.connect();
});

const now = () => Math.floor(clock.now() / 1_000);
const deliver = async (...events: readonly ProcessorEventBody[]) => {
  for (const event of events) {
    const { status, body } = await shop.deliver(event);
    expect([event.type, status, body.detail]).toEqual([event.type, 200, undefined]);
  }
};
const statusOf = async () => (await shop.mine()).payments[0]?.status;
const held = () =>
  eventually(
    () => shop.entitlement(),
    (got) => got?.status === 'active',
  );

describe('the webhook of the processor', () => {
  const refused = async (answer: ReturnType<Shop['deliver']>, status: number, code: string) => {
    const { status: got, body } = await answer;
    expect([got, body.code]).toEqual([status, code]);
    expect(await statusOf()).toBe('pending');
  };
  let paid: ProcessorEventBody;
  beforeEach(async () => {
    await shop.offer();
    const { paymentId } = (await shop.checkout()).body;
    const session = processor.of('checkout.session').find((one) => one.client_reference_id === paymentId);
    [paid] = processor.paid(session.id) as [ProcessorEventBody];
  });
  const path = () => new URL(processor.of('webhook_endpoint').at(-1).url).pathname;

  it('accepts nothing with a wrong signature, an old one, or none', async () => {
    await refused(shop.deliver(paid, { secret: 'whsec_other' }), 400, 'processor-event-not-verified');
    await refused(shop.deliver(paid, { timestamp: now() - 301 }), 400, 'processor-event-not-verified');
    await refused(app.send('POST', path(), JSON.stringify(paid)), 400, 'processor-event-not-verified');
  });

  it('verifies the signature of exactly the received bytes', async () => {
    const { secret } = processor.of('webhook_endpoint').at(-1);
    const pretty = JSON.stringify(paid, null, 4);
    const headers = {
      'content-type': 'application/json',
      'stripe-signature': signatureOf(JSON.stringify(paid), secret),
    };
    await refused(app.send('POST', path(), pretty, headers), 400, 'processor-event-not-verified');
    const signed = { ...headers, 'stripe-signature': signatureOf(pretty, secret) };
    expect((await app.send('POST', path(), pretty, signed)).status).toBe(200);
    expect(await statusOf()).toBe('succeeded');
  });

  it.each(['null', '1', '"evt_1"', '[]', '{}', '{"id":"evt_1","type":"invoice.paid","created":1e300}', ''])(
    'accepts nothing that is signed but no event: %s',
    async (body) => {
      const { secret } = processor.of('webhook_endpoint').at(-1);
      const headers = { 'content-type': 'application/json', 'stripe-signature': signatureOf(body, secret) };
      await refused(app.send('POST', path(), body, headers), 400, 'processor-event-not-verified');
    },
  );

  it('accepts no invalid time', async () => {
    const object = { ...paid.data.object, status_transitions: { paid_at: 1e300 }, lines: { data: [] }, period_end: 1 };
    await deliver(processor.event('invoice.paid', object));
    expect(await statusOf()).toBe('pending');
  });

  it('accepts a late event that is sent again', async () => {
    clock.set(clock.now() + 3 * day * 1_000);
    const { status } = await shop.deliver(paid, { timestamp: now() });
    expect(status).toBe(200);
    await held();
  });

  it('accepts only events of its own mode', async () => {
    const { secret } = processor.of('webhook_endpoint').at(-1);
    const body = JSON.stringify({ ...paid, livemode: true });
    const headers = { 'content-type': 'application/json', 'stripe-signature': signatureOf(body, secret) };
    await refused(app.send('POST', path(), body, headers), 400, 'processor-event-of-other-mode');
  });

  it('changes payments of one mode only by events of that mode', async () => {
    await shop.connect('live');
    expect((await shop.deliver({ ...paid, livemode: true })).status).toBe(200);
    expect(await statusOf()).toBe('pending');
  });

  it('ignores events of others: other checkouts, other sites, other objects', async () => {
    const object = paid.data.object;
    const other = await openShop(app, processor);
    await other.connect();
    const strange = [
      processor.event('checkout.session.completed', { ...object, id: 'cs_test_other' }),
      processor.event('checkout.session.completed', { ...object, metadata: {}, client_reference_id: 'pay_0' }),
      processor.event('checkout.session.completed', { ...object, metadata: {}, client_reference_id: null }),
      processor.event('checkout.session.completed', { ...object, mode: 'subscription' }),
      processor.event('checkout.session.completed', {}),
      processor.event('invoice.paid', { id: 'in_0', object: 'invoice' }),
      processor.event('charge.refunded', { metadata: {}, payment_intent: 'pi_of_nobody', refunded: true }),
      processor.event('payout.paid', object),
    ];
    await deliver(...strange);
    expect((await other.deliver(paid)).status).toBe(200);
    expect(await statusOf()).toBe('pending');
  });

  it('answers 404 at an unknown address, at that of another site, and at a replaced one', async () => {
    const old = path();
    const other = await openShop(app, processor);
    const swapped = old.replace(shop.projectId, other.projectId);
    const made = old.replace(/[^/]+$/, 'made-up');
    await done(app, 'site/registerProcessorWebhook', { projectId: shop.projectId, mode: 'test' });
    for (const address of [old, swapped, made]) {
      expect((await app.send('POST', address, JSON.stringify(paid))).status).toBe(404);
    }
    expect((await shop.deliver(paid)).status).toBe(200);
  });

  it('answers 405 to anything but POST', async () => {
    expect((await app.send('GET', path())).status).toBe(405);
  });

  it('makes the processor repeat an event if its look-up failed', async () => {
    await deliver(paid);
    await held();
    const dispute = { id: 'dp_2', object: 'dispute', metadata: {}, payment_intent: paid.data.object.payment_intent };
    const event = processor.event('charge.dispute.created', dispute);
    processor.faults(500, 500, 500);
    expect((await shop.deliver(event)).status).toBe(503);
    expect(await statusOf()).toBe('succeeded');
    await deliver(event);
    expect(await statusOf()).toBe('refunded');
  });
});
