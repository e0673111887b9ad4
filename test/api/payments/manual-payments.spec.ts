// Engines: one process.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Entitlements } from '../../../src/areas/payments/entitlement/entitlements.api.js';
import { Calls, systemActor } from '../../../src/engine/operation/calls.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { openShop, type Shop } from '../../support/sites/shops.js';

let clock: SettableClock;
let app: OutsideApp;
let shop: Shop;
beforeAll(async () => {
  app = await sharedOutside();
  ({ clock } = app);
});
afterAll(() => app.close());
beforeEach(async () => {
  shop = await openShop(app);
});

const list = (status?: string) =>
  done(app, 'site/listManualPayments', { projectId: shop.projectId, ...(status && { status }) });
const decide = (verb: 'approve' | 'reject', paymentId: string, more: object = {}, key?: string) =>
  app.call(`site/${verb}ManualPayment`, { projectId: shop.projectId, paymentId, ...more }, key);
const bought = async (body: object = {}) => {
  const { status, body: answer } = await shop.checkout({ method: 'manual', ...body });
  expect([status, answer.status, answer.detail]).toEqual([200, 'pending', undefined]);
  return answer.paymentId as string;
};
const coupon = async (more: object = {}) => {
  await done(app, 'site/createCoupon', { projectId: shop.projectId, code: 'half', percentOff: 50, ...more });
};
const redemptions = async () => (await done(app, 'site/listCoupons', { projectId: shop.projectId }))[0].redemptions;

describe('a manual payment', () => {
  it('waits in the queue, with its offer (Q-S39)', async () => {
    await shop.offer();
    const id = await bought();
    expect(await list()).toEqual([
      {
        id,
        appUserId: shop.userId,
        offerKey: 'club',
        amount: 1_000,
        currency: 'usd',
        status: 'pending',
        reason: null,
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
        decidedAt: null,
        decidedBy: null,
      },
    ]);
    expect(await shop.entitlement()).toBeUndefined();
  });

  it('that is approved succeeds, and grants by the access terms (SX-07)', async () => {
    await shop.offer({ accessTerm: { for: 1, unit: 'month' } });
    const id = await bought();
    expect((await decide('approve', id)).body).toEqual({ success: true });
    const [paid] = await list('succeeded');
    expect(paid).toMatchObject({ id, status: 'succeeded', decidedBy: { kind: 'person', name: expect.any(String) } });
    const held = await shop.entitlement();
    expect(held).toMatchObject({ status: 'active', source: { type: 'payment', paymentId: id, offerKey: 'club' } });
    const until = new Date(paid.decidedAt);
    expect(Date.parse(String(held?.['expiresAt'])) - until.getTime()).toBeGreaterThan(27 * 86_400_000);
    expect(await list()).toEqual([]);
  });

  it('grants by the terms at the time of the purchase', async () => {
    await shop.offer();
    const id = await bought();
    const changed = { amount: 5, accessTerm: { for: 1, unit: 'day' }, entitlementKey: 'other', isActive: false };
    await done(app, 'site/updateOffer', { projectId: shop.projectId, key: 'club', ...changed });
    await done(app, 'site/deleteOffer', { projectId: shop.projectId, key: 'club' });
    await decide('approve', id);
    expect((await list('succeeded'))[0]).toMatchObject({ amount: 1_000 });
    expect(await shop.entitlement('club')).toMatchObject({ status: 'active', expiresAt: null });
    expect(await shop.entitlement('other')).toBeUndefined();
  });

  it('that is rejected grants nothing and stores the reason (SX-08)', async () => {
    await shop.offer();
    const id = await bought();
    expect((await decide('reject', id, { reason: 'No transfer came.' })).body).toEqual({ success: true });
    expect((await list('rejected'))[0]).toMatchObject({ id, status: 'rejected', reason: 'No transfer came.' });
    expect(await shop.entitlement()).toBeUndefined();
    expect((await shop.mine()).payments[0]).toMatchObject({ status: 'rejected', reason: 'No transfer came.' });
  });

  it('can be rejected without a reason', async () => {
    await shop.offer();
    await decide('reject', await bought());
    expect((await list('rejected'))[0].reason).toBeNull();
  });

  it.each([
    ['approve', 'approve'],
    ['approve', 'reject'],
    ['reject', 'approve'],
    ['reject', 'reject'],
  ] as const)('is decided once: %s, then %s is 409 (Q-S40)', async (first, second) => {
    await shop.offer();
    const id = await bought();
    await decide(first, id);
    const { status, body } = await decide(second, id);
    expect([status, body.code]).toEqual([409, 'payment-decided']);
  });

  it('is decided once by 20 simultaneous decisions', async () => {
    await shop.offer();
    const id = await bought();
    const verbs = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 'approve' : 'reject') as 'approve' | 'reject');
    const answers = await Promise.all(verbs.map((verb) => decide(verb, id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(409)]);
    const approved = verbs[answers.findIndex(({ status }) => status === 200)] === 'approve';
    expect(await list(approved ? 'succeeded' : 'rejected')).toHaveLength(1);
    expect((await shop.entitlement())?.status).toBe(approved ? 'active' : undefined);
  });

  it('of an unknown id, of another project, or of another workspace is 404', async () => {
    await shop.offer();
    const id = await bought();
    expect((await decide('approve', 'pay_0')).status).toBe(404);
    const other = await openShop(app);
    const { status } = await app.call('site/approveManualPayment', { projectId: other.projectId, paymentId: id });
    expect(status).toBe(404);
    const { ownerKey } = await otherWorkspace(app);
    expect((await decide('approve', id, {}, ownerKey)).status).toBe(404);
    expect(await list()).toHaveLength(1);
  });

  it('can be decided only by those who may handle payments', async () => {
    await shop.offer();
    const id = await bought();
    const { key: editor } = await person(app, 'editor');
    const { key: admin } = await person(app, 'admin');
    expect((await decide('approve', id, {}, editor)).status).toBe(403);
    expect((await decide('reject', id, {}, editor)).status).toBe(403);
    expect((await decide('approve', id, {}, admin)).status).toBe(200);
  });

  it('with a coupon counts it once approved, and names it in the source', async () => {
    await shop.offer();
    await coupon();
    const id = await bought({ couponCode: 'half' });
    expect((await list())[0]).toMatchObject({ amount: 500 });
    expect(await redemptions()).toBe(0);
    await decide('approve', id);
    expect(await redemptions()).toBe(1);
    expect(await shop.entitlement()).toMatchObject({ source: { couponCode: 'HALF' } });
  });

  it('that is rejected frees its coupon', async () => {
    await shop.offer();
    await coupon({ maxRedemptions: 1 });
    const id = await bought({ couponCode: 'half' });
    expect((await shop.checkout({ method: 'manual', couponCode: 'half' })).body.code).toBe('payment-open');
    await decide('reject', id);
    await bought({ couponCode: 'half' });
    expect(await redemptions()).toBe(0);
  });

  it('gives no trial before its approval, and then the trial and the paid period', async () => {
    const paymentTerm = { every: 1, interval: 'month', trialDays: 730 };
    await shop.offer({ paymentTerm, accessTerm: 'while_subscribed' });
    const id = await bought();
    expect(await shop.entitlement()).toBeUndefined();
    await decide('approve', id);
    const days = (Date.parse(String((await shop.entitlement())?.['expiresAt'])) - clock.now()) / 86_400_000;
    expect(days).toBeGreaterThan(730 + 27);
    expect(days).toBeLessThan(730 + 32);
  });

  it('with a trial gives nothing after a rejection', async () => {
    const paymentTerm = { every: 1, interval: 'month', trialDays: 7 };
    await shop.offer({ paymentTerm, accessTerm: 'while_subscribed' });
    await decide('reject', await bought());
    expect(await shop.entitlement()).toBeUndefined();
  });

  it('does not shorten a grant by a person', async () => {
    await shop.offer({ accessTerm: { for: 1, unit: 'day' } });
    const of = { projectId: shop.projectId, appUserId: shop.userId, key: 'club' };
    const id = await bought();
    await done(app, 'site/grantEntitlement', { ...of, source: { note: 'a friend' } });
    await decide('approve', id);
    expect(await shop.entitlement()).toMatchObject({ expiresAt: null, source: { note: 'a friend' } });
  });

  it('is not approved if its buyer cannot have another entitlement, and says why', async () => {
    await shop.offer();
    const id = await bought();
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    const [known, calls] = [app.app.get(Entitlements, { strict: false }), app.app.get(Calls, { strict: false })];
    const of = { projectId: shop.projectId, appUserId: shop.userId };
    const grant = (key: string) =>
      known.grant(calls.once(workspaceId, systemActor('test'), 'test'), { ...of, key }, {});
    await Promise.all(Array.from({ length: 500 }, (_, n) => grant(`key-${n}`)));
    const { status, body } = await decide('approve', id);
    expect([status, body.code]).toEqual([429, 'entitlements-full']);
    expect(await list()).toMatchObject([{ id, status: 'pending' }]);
  });

  it.each(['paid', 'refunded', '', 1, null])('is not listed by the status %j', async (status) => {
    const { status: code } = await app.call('site/listManualPayments', { projectId: shop.projectId, status });
    expect(code).toBe(400);
  });
});
