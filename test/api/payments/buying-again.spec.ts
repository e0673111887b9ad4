import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import type { StandInProcessor } from '../../support/servers/payment-processor.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { openShop, type Shop } from '../../support/sites/shops.js';

const day = 86_400;
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
});

const change = (verb: 'revoke' | 'suspend' | 'grant' | 'extend', more: object = {}) =>
  done(app, `site/${verb}Entitlement`, { projectId: shop.projectId, appUserId: shop.userId, key: 'club', ...more });
const approved = async (body: object = {}): Promise<string> => {
  const { paymentId } = (await shop.checkout({ method: 'manual', ...body })).body;
  await done(app, 'site/approveManualPayment', { projectId: shop.projectId, paymentId });
  return paymentId;
};

describe('a checkout that is not paid', () => {
  it.each([{ accessTerm: { for: 1, unit: 'year' } }, { accessTerm: 'lifetime' }])(
    'does not undo that a person shortened access: %j',
    async (terms) => {
      await shop.offer(terms);
      await approved();
      const expiresAt = new Date(Date.now() + day * 1_000).toISOString();
      await change('extend', { expiresAt });
      expect((await shop.checkout({ method: 'manual' })).body).toMatchObject({ status: 'pending' });
      expect(await shop.entitlement()).toMatchObject({ status: 'active', expiresAt });
    },
  );
});

describe('buying again', () => {
  it.each(['revoke', 'suspend'] as const)('after the owner did %s grants access again (SX-09, Q-S35)', async (verb) => {
    await shop.offer();
    await approved();
    await change(verb);
    const paymentId = await approved();
    expect(await shop.entitlement()).toMatchObject({ status: 'active', expiresAt: null, source: { paymentId } });
    expect((await shop.me(shop.pass))?.['entitlements']).toEqual(['club']);
  });

  it('at no cost is granted immediately', async () => {
    await shop.offer({ amount: 0 });
    await shop.checkout();
    await change('revoke');
    expect((await shop.checkout()).body).toMatchObject({ status: 'granted' });
    expect(await shop.entitlement()).toMatchObject({ status: 'active' });
  });

  it('with an equal expiry names the newest payment', async () => {
    await shop.offer({ accessTerm: { for: 1, unit: 'day' } });
    await shop.offer({ key: 'same', entitlementKey: 'club', accessTerm: { for: 1, unit: 'day' } });
    await approved();
    const paymentId = await approved({ offerKey: 'same' });
    expect(await shop.entitlement()).toMatchObject({ status: 'active', source: { paymentId, offerKey: 'same' } });
  });

  it('differs from a renewal: a payment for an earlier subscription grants nothing after a revocation', async () => {
    await shop.connect();
    await shop.offer({ paymentTerm: { every: 1, interval: 'month' }, accessTerm: 'while_subscribed' });
    const { paymentId } = (await shop.checkout()).body;
    const session = processor.of('checkout.session').find((one) => one.client_reference_id === paymentId);
    const at = Math.floor(Date.now() / 1_000);
    for (const event of processor.paid(session.id, { at })) await shop.deliver(event);
    const isHeld = (status: string) =>
      eventually(
        () => shop.entitlement(),
        (got) => got?.status === status,
      );
    await isHeld('active');
    await change('revoke');
    const { subscription } = processor.objects.get(session.id);
    await shop.deliver(processor.event('invoice.paid', processor.invoice(subscription, at + 30 * day)));
    // The saga follows payments in order, so once this purchase has its entitlement, the invoice was processed too.
    await shop.offer({ key: 'later', amount: 0 });
    await shop.checkout({ offerKey: 'later' });
    expect(await shop.entitlement()).toMatchObject({ status: 'revoked' });
    await change('grant', { expiresAt: new Date((at + day) * 1_000).toISOString() });
    await shop.deliver(processor.event('invoice.paid', processor.invoice(subscription, at + 60 * day)));
    await eventually(
      () => shop.entitlement(),
      (got) => got?.['expiresAt'] === new Date((at + 90 * day) * 1_000).toISOString(),
    );
  });
});
