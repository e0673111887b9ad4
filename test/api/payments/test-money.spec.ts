import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import type { StandInProcessor } from '../../support/servers/payment-processor.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { openShop, type Shop } from '../../support/sites/shops.js';

let processor: StandInProcessor;
let app: OutsideApp;
let shop: Shop;
beforeAll(async () => {
  app = await sharedOutside();
  ({ processor } = app);
});
afterAll(() => app?.close());
beforeEach(async () => {
  shop = await openShop(app, processor);
  await shop.connect();
});

const toggle = (mode: 'test' | 'live') => done(app, 'site/toggleProcessorMode', { projectId: shop.projectId, mode });
const isNow = (status: string, key?: string) =>
  eventually(
    () => shop.entitlement(key),
    (got) => got?.status === status,
  );
/** Starts a checkout with test money. Returns its session at the processor. */
async function tried(offerKey = 'club') {
  await shop.offer({ key: offerKey });
  const { paymentId } = (await shop.checkout({ offerKey })).body;
  return processor.of('checkout.session').find((one) => one.client_reference_id === paymentId);
}

describe('test money, once the site is in live mode', () => {
  it('grants nothing any more, and the answer reports the number of ended entitlements', async () => {
    for (const key of ['club', 'other', 'given']) {
      const session = await tried(key);
      for (const event of processor.paid(session.id)) await shop.deliver(event);
      await isNow('active', key);
    }
    const of = { projectId: shop.projectId, appUserId: shop.userId, key: 'given' };
    await done(app, 'site/revokeEntitlement', of);
    await done(app, 'site/grantEntitlement', { ...of, source: { note: 'a friend' } });
    expect(await toggle('live')).toEqual({ success: true, endedEntitlements: 2 });
    expect((await shop.entitlement())?.status).toBe('revoked');
    expect((await shop.me(shop.pass))?.['entitlements']).toEqual(['given']);
    expect(await toggle('live')).toEqual({ success: true, endedEntitlements: 0 });
  });

  it('is valid again when the site is back in test mode', async () => {
    const session = await tried();
    for (const event of processor.paid(session.id)) await shop.deliver(event);
    await isNow('active');
    await toggle('live');
    expect(await toggle('test')).toEqual({ success: true, endedEntitlements: 0 });
    expect((await shop.entitlement())?.status).toBe('active');
  });

  it('does not affect other payments', async () => {
    await shop.offer({ key: 'gift', amount: 0, entitlementKey: 'club', accessTerm: { for: 1, unit: 'day' } });
    await shop.checkout({ offerKey: 'gift' });
    const session = await tried();
    for (const event of processor.paid(session.id)) await shop.deliver(event);
    await eventually(
      () => shop.entitlement(),
      (got) => got?.['expiresAt'] === null,
    );
    expect(await toggle('live')).toEqual({ success: true, endedEntitlements: 0 });
    expect(await shop.entitlement()).toMatchObject({ status: 'active', source: { offerKey: 'gift' } });
  });

  it('that was still awaited does not block the offer for its buyer, nor does money that never arrived', async () => {
    await shop.connect('live');
    for (const [key, end] of [
      ['club', undefined],
      ['other', 'checkout.session.async_payment_failed'],
    ] as const) {
      const unpaid = { ...(await tried(key)), payment_status: 'unpaid' };
      await shop.deliver(processor.event('checkout.session.completed', unpaid));
      expect((await shop.checkout({ offerKey: key })).body.code).toBe('payment-open');
      await toggle('live');
      if (end !== undefined) await shop.deliver(processor.event(end, unpaid));
      expect((await shop.checkout({ offerKey: key })).body).toMatchObject({ paymentId: expect.any(String) });
      await toggle('test');
    }
    const { payments } = await shop.mine();
    expect(payments.map(({ status }) => status).sort()).toEqual(['expired', 'failed', 'pending', 'pending']);
  });

  it('does not use up the trial of its buyer', async () => {
    await shop.connect('live');
    const paymentTerm = { every: 1, interval: 'month', trialDays: 14 };
    await shop.offer({ paymentTerm, accessTerm: 'while_subscribed' });
    const begun = async () => {
      const { paymentId } = (await shop.checkout()).body;
      return processor.of('checkout.session').find((one) => one.client_reference_id === paymentId);
    };
    for (const event of processor.paid((await begun()).id)) await shop.deliver(event);
    await isNow('active');
    await toggle('live');
    expect((await begun()).sent.subscription_data).toMatchObject({ trial_period_days: '14' });
  });

  it('that arrives later grants nothing, and its grants are still revoked', async () => {
    const [before, left] = [await tried(), await tried('other')];
    for (const event of processor.paid(before.id)) await shop.deliver(event);
    await isNow('active');
    await toggle('live');
    for (const event of processor.paid(left.id)) expect((await shop.deliver(event)).status).toBe(200);
    const charge = processor.objects.get(processor.objects.get(before.id).charge);
    await shop.deliver(processor.event('charge.refunded', { ...charge, amount_refunded: 1_000, refunded: true }));
    await eventually(
      () => shop.mine(),
      ({ payments }) => payments.some(({ status }) => status === 'refunded'),
    );
    await toggle('test');
    expect((await shop.entitlement())?.status).toBe('revoked');
    expect(await shop.entitlement('other')).toBeUndefined();
    for (const event of processor.paid(left.id)) await shop.deliver(event);
    await isNow('active', 'other');
  });
});
