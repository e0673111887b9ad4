// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ReadStore } from '../../../src/ports/read-store.port.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { runs } from '../../support/depth.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import type { ProcessorEventBody, StandInProcessor } from '../../support/servers/payment-processor.js';
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
const sessionOf = (paymentId: string) =>
  processor.of('checkout.session').find(({ client_reference_id: of }) => of === paymentId);
/** Starts a checkout. Returns its session at the processor. */
async function begun(offer: object = {}, body: object = {}) {
  await shop.offer(offer);
  return sessionOf((await shop.checkout(body)).body.paymentId);
}
const subscription = { paymentTerm: { every: 1, interval: 'month' }, accessTerm: 'while_subscribed' };
const deliver = async (...events: readonly ProcessorEventBody[]) => {
  for (const event of events) {
    const { status, body } = await shop.deliver(event);
    expect([event.type, status, body.detail]).toEqual([event.type, 200, undefined]);
  }
};
const statusOf = async (at = 0) => (await shop.mine()).payments.toReversed()[at]?.status;
/** Waits, because a saga changes the entitlement after the event. */
const held = (wanted: object, key?: string) =>
  eventually(
    () => shop.entitlement(key),
    (got) => holdsAll(got, wanted),
  );
const holdsAll = (got: unknown, wanted: object): boolean =>
  typeof got === 'object' &&
  got !== null &&
  Object.entries(wanted).every(([name, value]) => {
    const own = (got as Readonly<Record<string, unknown>>)[name];
    return typeof value === 'object' && value !== null ? holdsAll(own, value) : own === value;
  });
const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();
const chargeOf = (session: { readonly charge: string }) => processor.objects.get(session.charge);
const refund = (session: { readonly charge: string }, amount: number) =>
  processor.event('charge.refunded', {
    ...chargeOf(session),
    amount_refunded: amount,
    refunded: amount === chargeOf(session).amount,
  });

describe('a payment at the processor', () => {
  it('grants the entitlement once it is paid', async () => {
    const session = await begun({ accessTerm: { for: 1, unit: 'year' } });
    await deliver(...processor.paid(session.id, { at: now() }));
    expect(await statusOf()).toBe('succeeded');
    await held({ status: 'active', source: { type: 'payment', offerKey: 'club' } });
    const { lastEventAt } = await done(app, 'site/getProcessorConnection', { projectId: shop.projectId });
    expect(lastEventAt).toEqual(expect.any(String));
  });

  it.each([
    ['isk', {}, 5_000, 2_000, 300_000],
    ['ugx', subscription, 5_000, 2_000, 300_000],
    ['mga', subscription, 500_000, 200_000, 3_000],
  ])("is charged in the processor's own unit of %s", async (currency, terms, amount, amountOff, charged) => {
    await done(app, 'site/createCoupon', { projectId: shop.projectId, code: 'LESS', amountOff, currency });
    const session = await begun({ ...terms, currency, amount }, { couponCode: 'LESS' });
    expect([session.currency, session.amount_total]).toEqual([currency, charged]);
    await deliver(...processor.paid(session.id, { at: now() }));
    expect(await statusOf()).toBe('succeeded');
    await held({ status: 'active' });
  });

  it('grants it even if the read model does not know the payment yet', async () => {
    const session = await begun();
    const store = app.app.get(ReadStore, { strict: false });
    const { get, find } = store;
    store.get = ((collection: string, id: string) =>
      collection === 'sitePayments' ? Promise.resolve(undefined) : get.call(store, collection, id)) as typeof get;
    store.find = ((collection: string, query: never) =>
      collection === 'sitePayments' ? Promise.resolve([]) : find.call(store, collection, query)) as typeof find;
    try {
      await deliver(...processor.paid(session.id));
      await held({ status: 'active' });
    } finally {
      Object.assign(store, { get, find });
    }
  });

  it('grants by the terms at the time of the purchase', async () => {
    const session = await begun();
    await done(app, 'site/updateOffer', {
      projectId: shop.projectId,
      key: 'club',
      amount: 9_999,
      entitlementKey: 'other',
      accessTerm: { for: 1, unit: 'day' },
    });
    await deliver(...processor.paid(session.id));
    await held({ status: 'active', expiresAt: null });
  });

  it('counts once, however often it is reported', async () => {
    await done(app, 'site/createCoupon', { projectId: shop.projectId, code: 'LESS', percentOff: 10 });
    const session = await begun({}, { couponCode: 'LESS' });
    const [event] = processor.paid(session.id);
    const answers = await Promise.all(Array.from({ length: 10 }, () => shop.deliver(event as ProcessorEventBody)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    await held({ status: 'active' });
    const [coupon] = await eventually(
      () => done(app, 'site/listCoupons', { projectId: shop.projectId }),
      ([one]) => one.redemptions > 0,
    );
    expect(coupon.redemptions).toBe(1);
    expect((await shop.entitlement())?.['history']).toHaveLength(1);
  });

  it('waits for pending money, and fails if it never arrives', async () => {
    const session = await begun();
    const unpaid = { ...session, payment_status: 'unpaid' };
    await deliver(processor.event('checkout.session.completed', unpaid));
    expect(await statusOf()).toBe('pending');
    await deliver(processor.event('checkout.session.async_payment_failed', unpaid));
    expect(await statusOf()).toBe('failed');
    expect(await shop.entitlement()).toBeUndefined();
  });

  it('grants when the pending money arrives', async () => {
    const session = await begun();
    const paid = { ...session, payment_status: 'paid' };
    await deliver(processor.event('checkout.session.async_payment_succeeded', paid));
    await deliver(processor.event('checkout.session.completed', { ...session, payment_status: 'unpaid' }));
    await held({ status: 'active' });
    expect(await statusOf()).toBe('succeeded');
  });

  it('that expires frees its coupon', async () => {
    await done(app, 'site/createCoupon', { projectId: shop.projectId, code: 'ONE', percentOff: 50, maxRedemptions: 1 });
    const session = await begun({}, { couponCode: 'ONE' });
    await shop.user('other@example.com');
    const other = await shop.logIn('other@example.com');
    expect((await shop.checkout({ couponCode: 'ONE' }, other)).body.code).toBe('coupon-used-up');
    await deliver(processor.event('checkout.session.expired', session));
    expect(await statusOf()).toBe('expired');
    await eventually(
      () => shop.checkout({ couponCode: 'ONE' }),
      ({ status }) => status === 200,
    );
  });

  it('is revoked by a full refund, but not by a partial one', async () => {
    const session = await begun();
    await deliver(...processor.paid(session.id));
    await held({ status: 'active' });
    await deliver(refund(session, 400));
    expect(await statusOf()).toBe('succeeded');
    await deliver(refund(session, 1_000));
    expect(await statusOf()).toBe('refunded');
    await held({ status: 'revoked' });
  });

  it('is revoked by a refund that is reported before the payment', async () => {
    const session = await begun();
    const [paid] = processor.paid(session.id);
    await deliver(refund(session, 1_000), paid as ProcessorEventBody);
    expect(await statusOf()).toBe('refunded');
    expect((await shop.entitlement())?.status ?? 'revoked').toBe('revoked');
  });

  it('is revoked by a dispute, which names only the charge', async () => {
    const session = await begun();
    await deliver(...processor.paid(session.id));
    await held({ status: 'active' });
    const { payment_intent: intent } = chargeOf(session);
    await deliver(
      processor.event('charge.dispute.created', {
        id: 'dp_1',
        object: 'dispute',
        payment_intent: intent,
        metadata: {},
      }),
    );
    await held({ status: 'revoked' });
    expect(await statusOf()).toBe('refunded');
  });

  it('is revoked by a dispute that is delivered again, after the look-up of its payment was refused', async () => {
    const session = await begun();
    await deliver(...processor.paid(session.id));
    await held({ status: 'active' });
    const { payment_intent: intent } = chargeOf(session);
    const dispute = { id: 'dp_2', object: 'dispute', payment_intent: intent, metadata: {} };
    const event = processor.event('charge.dispute.created', dispute);
    processor.faults(403);
    expect((await shop.deliver(event)).status).toBe(409);
    expect(await statusOf()).toBe('succeeded');
    await deliver(event);
    await held({ status: 'revoked' });
  });

  it('remains granted if another payment grants it too', async () => {
    const first = await begun({ accessTerm: { for: 1, unit: 'year' } });
    await deliver(...processor.paid(first.id));
    const second = sessionOf((await shop.checkout()).body.paymentId);
    await deliver(...processor.paid(second.id), refund(first, 1_000));
    expect([await statusOf(0), await statusOf(1)]).toEqual(['refunded', 'succeeded']);
    await held({ status: 'active', source: { paymentId: second.client_reference_id } });
  });

  it('remains granted if a person granted it', async () => {
    const session = await begun();
    const of = { projectId: shop.projectId, appUserId: shop.userId, key: 'club' };
    await done(app, 'site/grantEntitlement', { ...of, source: { note: 'a friend' } });
    await deliver(...processor.paid(session.id), refund(session, 1_000));
    expect(await statusOf()).toBe('refunded');
    expect(await shop.entitlement()).toMatchObject({ status: 'active', source: { note: 'a friend' } });
  });
});

describe('a receipt', () => {
  const receipts = async () =>
    (await done(app, 'site/listOutgoingMail', { projectId: shop.projectId })).mails.filter(
      ({ kind }: { kind: string }) => kind === 'receipt',
    );

  it('is sent once for each received payment, however often it is reported', async () => {
    await done(app, 'site/createCoupon', { projectId: shop.projectId, code: 'LESS', percentOff: 10 });
    const session = await begun({ currency: 'eur' }, { couponCode: 'LESS' });
    const [paid] = processor.paid(session.id) as [ProcessorEventBody];
    await deliver(paid, paid, { ...paid, id: 'evt_again' });
    await eventually(receipts, (found) => found.length > 0);
    await shop.offer({ key: 'gift', amount: 0 });
    await shop.checkout({ offerKey: 'gift' });
    await held({ status: 'active' }, 'gift');
    expect(await receipts()).toHaveLength(1);
  });

  it('is sent for each renewal', async () => {
    const session = await begun(subscription);
    await deliver(...processor.paid(session.id, { at: now() }));
    const later = now() + 30 * day;
    await deliver(
      processor.event('invoice.paid', processor.invoice(sessionOf(session.client_reference_id).subscription, later)),
    );
    await eventually(receipts, (found) => found.length === 2);
  });
});

describe('amounts that do not match', () => {
  it.each([
    ['less', { amount_total: 1 }],
    ['more', { amount_total: 100_000 }],
    ['none', { amount_total: null }],
    ['another currency', { currency: 'jpy' }],
  ])('grant nothing, are recorded, and cause a notice: %s', async (_, wrong) => {
    const session = await begun();
    await deliver(processor.event('checkout.session.completed', { ...session, ...wrong, payment_status: 'paid' }));
    expect(await statusOf()).toBe('failed');
    const { notices } = await done(app, 'approvals/listNotices');
    expect(notices[0]).toMatchObject({
      summary: expect.stringContaining('1000 usd was agreed'),
      undo: { available: false },
    });
    expect(await shop.entitlement()).toBeUndefined();
  });

  it('of a renewal extend nothing', async () => {
    const session = await begun(subscription);
    const at = now();
    const events = processor.paid(session.id, { at });
    await deliver(...events);
    await held({ expiresAt: iso(at + 30 * day) });
    const less = processor.invoice(sessionOf(session.client_reference_id).subscription, at + 30 * day, { total: 1 });
    await deliver(processor.event('invoice.paid', less));
    expect(await shop.entitlement()).toMatchObject({ expiresAt: iso(at + 30 * day) });
  });
});

describe('a subscription at the processor', () => {
  const renew = (session: { readonly id: string; readonly subscription?: string }, at: number, more?: object) =>
    processor.invoice(String(processor.objects.get(session.id).subscription), at, more);

  it('lasts to the end of the paid period, is extended by each payment, and has three days of grace', async () => {
    const session = await begun(subscription);
    const at = now();
    await deliver(...processor.paid(session.id, { at }));
    await held({ status: 'active', expiresAt: iso(at + 30 * day), graceUntil: null });
    await deliver(processor.event('invoice.paid', renew(session, at + 30 * day)));
    await held({ expiresAt: iso(at + 60 * day), graceUntil: null });
    await deliver(processor.event('invoice.payment_failed', renew(session, at + 60 * day), { created: at + 60 * day }));
    await held({ expiresAt: iso(at + 60 * day), graceUntil: iso(at + 63 * day) });
    clock.set((at + 61 * day) * 1_000);
    expect((await shop.entitlement())?.status).toBe('grace');
    clock.set((at + 64 * day) * 1_000);
    expect((await shop.entitlement())?.status).toBe('expired');
  });

  it('continues while the payment for the next period is pending', async () => {
    const session = await begun(subscription);
    const at = now();
    await deliver(...processor.paid(session.id, { at }));
    const of = processor.objects.get(processor.objects.get(session.id).subscription);
    const items = { object: 'list', data: [{ current_period_end: at + 60 * day }] };
    await deliver(processor.event('customer.subscription.updated', { ...of, items }, { created: at + 30 * day }));
    await held({ expiresAt: iso(at + 30 * day), graceUntil: iso(at + 33 * day) });
    await deliver(processor.event('invoice.paid', renew(session, at + 30 * day)));
    await held({ status: 'active', expiresAt: iso(at + 60 * day), graceUntil: null });
  });

  it('lasts to the end of the paid period after its cancellation', async () => {
    const session = await begun(subscription);
    const at = now();
    await deliver(...processor.paid(session.id, { at }));
    const of = processor.objects.get(processor.objects.get(session.id).subscription);
    await deliver(processor.event('customer.subscription.deleted', of, { created: at + day }));
    await held({ status: 'active', expiresAt: iso(at + 30 * day), graceUntil: null });
  });

  it('grants its trial at once, without a payment', async () => {
    const session = await begun({ ...subscription, paymentTerm: { every: 1, interval: 'month', trialDays: 14 } });
    const at = now();
    const [completed] = processor.paid(session.id, { at });
    await deliver(completed as ProcessorEventBody);
    await held({ status: 'active', expiresAt: iso(at + 14 * day) });
    expect(await statusOf()).toBe('succeeded');
  });

  it('is revoked by the refund of its last period, which names only the charge', async () => {
    const session = await begun(subscription);
    await deliver(...processor.paid(session.id, { at: now() }));
    await held({ status: 'active' });
    const [first] = processor
      .of('invoice')
      .filter((one) => one.parent.subscription_details.subscription === session.subscription);
    const of = processor.of('invoice_payment').find(({ invoice }) => invoice === first.id);
    const charge = { id: 'ch_x', object: 'charge', metadata: {}, payment_intent: of.payment.payment_intent };
    await deliver(processor.event('charge.refunded', { ...charge, amount_refunded: 1_000, refunded: true }));
    await held({ status: 'revoked' });
    expect(await statusOf()).toBe('refunded');
  });

  it('results in the same entitlement for any order and repetition of its events', async () => {
    const seen = new Set<string>();
    const at = now();
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat()), async (picks) => {
        const buyer = await openShop(app, processor);
        await buyer.connect();
        await buyer.offer(subscription);
        const { paymentId } = (await buyer.checkout()).body;
        const { id } = sessionOf(paymentId);
        const events = [...processor.paid(id, { at })];
        const renewal = renew({ id }, at + 30 * day);
        events.push(processor.event('invoice.payment_failed', renewal, { created: at + 30 * day }));
        events.push(processor.event('invoice.paid', renewal, { created: at + 31 * day }));
        const failed = renew({ id }, at + 60 * day);
        events.push(processor.event('invoice.payment_failed', failed, { created: at + 60 * day }));
        const waiting = [...events, ...events];
        while (waiting.length > 0) {
          const [event] = waiting.splice((picks.next().value as number) % waiting.length, 1);
          expect((await buyer.deliver(event as ProcessorEventBody)).status).toBe(200);
        }
        const entitlement = await eventually(
          () => buyer.entitlement(),
          (got) => got?.['graceUntil'] === iso(at + 63 * day),
        );
        const { status, expiresAt, graceUntil } = entitlement as Readonly<Record<string, unknown>>;
        seen.add(JSON.stringify({ status, expiresAt, graceUntil }));
      }),
      { numRuns: runs(20) },
    );
    expect([...seen].map((one) => JSON.parse(one))).toEqual([
      { status: 'active', expiresAt: iso(at + 60 * day), graceUntil: iso(at + 63 * day) },
    ]);
  });
});
