import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { couponId } from '../../../src/areas/payments/coupon/coupon.record.js';
import { DueSweeps } from '../../../src/engine/due/due-sweeps.js';
import { SettableClock } from '../../support/clocks/settable-clock.js';
import { eventually } from '../../support/eventually.js';
import { done, person } from '../../support/people.js';
import type { StandInProcessor } from '../../support/servers/payment-processor.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { openShop, type Shop } from '../../support/sites/shops.js';

const dayMs = 86_400_000;
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
});

const of = (more: object = {}) => ({ projectId: shop.projectId, ...more });
const manually = (body: object = {}, pass?: string) => shop.checkout({ method: 'manual', ...body }, pass);
const codeOf = async (answer: ReturnType<Shop['checkout']>) => {
  const { status, body } = await answer;
  return status === 200 ? body.status : [status, body.code];
};
const list = (more: object = {}) => done(app, 'site/listManualPayments', of(more));
const coupons = () => done(app, 'site/listCoupons', of());
const coupon = (more: object = {}) => done(app, 'site/createCoupon', of({ code: 'HALF', percentOff: 50, ...more }));
const takes = (manualPayments: string) => done(app, 'site/setManualPayments', of({ manualPayments }));
const sessionOf = (paymentId: string) =>
  processor.of('checkout.session').find(({ client_reference_id: id }) => id === paymentId);
const anotherBuyer = async (email: string) => {
  await shop.user(email);
  return shop.logIn(email);
};

describe('the setting for manual payments', () => {
  const taken = async () => (await done(app, 'site/getProcessorConnection', of())).takesManualPayments;

  it('is on without a processor key, and off with one: buyers cannot choose', async () => {
    await shop.offer();
    expect(await taken()).toBe(true);
    await shop.connect();
    expect(await taken()).toBe(false);
    const { status, body } = await manually();
    expect([status, body.code]).toEqual([409, 'manual-payments-off']);
    expect(body.detail).toContain('setManualPayments');
    expect(await list()).toEqual([]);
    expect(await codeOf(shop.checkout())).toBe('redirect');
  });

  it('can be set by the owner', async () => {
    await shop.offer();
    await takes('off');
    expect(await codeOf(manually())).toEqual([409, 'manual-payments-off']);
    expect(await codeOf(shop.checkout())).toEqual([409, 'processor-key-missing']);
    await shop.connect();
    await takes('on');
    expect(await codeOf(manually())).toBe('pending');
    await takes('auto');
    expect(await taken()).toBe(false);
  });

  it('requires the right to handle payments', async () => {
    const { key } = await person(app, 'editor');
    const { status } = await app.call('site/setManualPayments', of({ manualPayments: 'on' }), key);
    expect(status).toBe(403);
    expect((await app.call('site/setManualPayments', of({ manualPayments: 'maybe' }))).status).toBe(400);
  });
});

describe('an open payment', () => {
  it('by hand is the only one for its buyer and offer', async () => {
    await shop.offer();
    await shop.offer({ key: 'other' });
    const answers = await Promise.all(Array.from({ length: 10 }, () => codeOf(manually())));
    expect(answers.filter((one) => one === 'pending')).toHaveLength(1);
    expect(answers.filter((one) => one !== 'pending')).toEqual(Array(9).fill([409, 'payment-open']));
    expect(await codeOf(manually({ offerKey: 'other' }))).toBe('pending');
    expect(await codeOf(manually({}, await anotherBuyer('second@example.com')))).toBe('pending');
    const [first] = (await list()).filter((one: { offerKey: string }) => one.offerKey === 'club').toReversed();
    await done(app, 'site/rejectManualPayment', of({ paymentId: first.id }));
    expect(await codeOf(manually())).toBe('pending');
  });

  it('without a decision expires after fourteen days, which frees its coupon', async () => {
    await shop.offer();
    await coupon({ maxRedemptions: 1 });
    const { paymentId } = (await manually({ couponCode: 'HALF' })).body;
    const expiry = app.app.get(DueSweeps, { strict: false });
    clock.set(Date.now() + 14 * dayMs - 60_000);
    const pass = await anotherBuyer('late@example.com');
    await expiry.sweep('payment-expiry');
    expect(await list()).toMatchObject([{ id: paymentId, status: 'pending' }]);
    expect(await coupons()).toMatchObject([{ redemptions: 0, reserved: 1 }]);
    expect(await codeOf(manually({ couponCode: 'HALF' }, pass))).toEqual([409, 'coupon-used-up']);
    clock.set(Date.now() + 14 * dayMs + 60_000);
    await expiry.sweep('payment-expiry');
    expect(await list()).toEqual([]);
    expect(await list({ status: 'expired' })).toMatchObject([{ id: paymentId, status: 'expired', decidedAt: null }]);
    expect(await coupons()).toMatchObject([{ redemptions: 0, reserved: 0 }]);
    expect(await codeOf(manually({ couponCode: 'HALF' }, pass))).toBe('pending');
    const { status, body } = await app.call('site/approveManualPayment', of({ paymentId }));
    expect([status, body.code]).toEqual([409, 'payment-decided']);
  });

  it('at the processor is closed there by the next checkout, which frees its coupon', async () => {
    await shop.connect();
    await shop.offer();
    await coupon({ maxRedemptions: 1 });
    const first = (await shop.checkout({ couponCode: 'HALF' })).body.paymentId;
    const second = (await shop.checkout({ couponCode: 'HALF' })).body.paymentId;
    expect([sessionOf(first).status, sessionOf(second).status]).toEqual(['expired', 'open']);
    expect((await shop.mine()).payments.map(({ status }) => status)).toEqual(['pending', 'expired']);
    for (const event of processor.paid(sessionOf(second).id)) await shop.deliver(event);
    await eventually(coupons, ([one]) => one.redemptions === 1 && one.reserved === 0);
  });

  it('at the processor that is paid but not yet reported is not paid twice', async () => {
    await shop.connect();
    await shop.offer();
    const { paymentId } = (await shop.checkout()).body;
    const events = processor.paid(sessionOf(paymentId).id);
    expect(await codeOf(shop.checkout())).toEqual([409, 'payment-open']);
    for (const event of events) await shop.deliver(event);
    await eventually(
      () => shop.entitlement(),
      (got) => got?.status === 'active',
    );
    expect((await shop.mine()).payments).toHaveLength(1);
  });
});

describe('a buyer', () => {
  it('can use a coupon once, for any offer', async () => {
    await shop.offer();
    await shop.offer({ key: 'other', amount: 4 });
    await coupon({ percentOff: 50, maxRedemptions: 30 });
    const { paymentId } = (await manually({ couponCode: 'half' })).body;
    expect(await codeOf(manually({ offerKey: 'other', couponCode: 'HALF' }))).toEqual([409, 'coupon-used-by-buyer']);
    expect(await coupons()).toMatchObject([{ redemptions: 0, reserved: 1 }]);
    await done(app, 'site/approveManualPayment', of({ paymentId }));
    expect(await codeOf(manually({ offerKey: 'other', couponCode: 'half' }))).toEqual([409, 'coupon-used-by-buyer']);
    expect(await coupons()).toMatchObject([{ redemptions: 1, reserved: 0 }]);
    expect(await codeOf(manually({ offerKey: 'other' }))).toBe('pending');
  });

  it('with simultaneous checkouts and a free coupon gets one thing', async () => {
    await coupon({ percentOff: 100, maxRedemptions: 30 });
    const keys = Array.from({ length: 8 }, (_, at) => `thing-${at}`);
    for (const key of keys) await shop.offer({ key });
    const answers = await Promise.all(keys.map((offerKey) => codeOf(shop.checkout({ offerKey, couponCode: 'HALF' }))));
    expect(answers.filter((one) => one === 'granted')).toHaveLength(1);
    expect(answers.filter((one) => one !== 'granted')).toEqual(Array(7).fill([409, 'coupon-used-by-buyer']));
    expect(await coupons()).toMatchObject([{ redemptions: 1, reserved: 0 }]);
  });

  it('with a lifetime entitlement cannot buy it again, and uses up no coupon', async () => {
    await shop.offer();
    await shop.offer({ key: 'year', entitlementKey: 'club', accessTerm: { for: 1, unit: 'year' } });
    await coupon({ percentOff: 100 });
    await done(app, 'site/grantEntitlement', of({ appUserId: shop.userId, key: 'club' }));
    for (const offerKey of ['club', 'year']) {
      const answer = codeOf(shop.checkout({ offerKey, couponCode: 'HALF' }));
      expect(await answer).toEqual([409, 'entitlement-held-for-life']);
    }
    expect(await coupons()).toMatchObject([{ redemptions: 0, reserved: 0 }]);
    await done(app, 'site/revokeEntitlement', of({ appUserId: shop.userId, key: 'club' }));
    expect(await codeOf(shop.checkout({ couponCode: 'HALF' }))).toBe('granted');
  });
});

describe('a coupon whose deletion is undone', () => {
  it('counts what was approved meanwhile, and frees what was rejected', async () => {
    await shop.offer();
    await coupon({ maxRedemptions: 2 });
    const first = (await manually({ couponCode: 'HALF' })).body.paymentId;
    const pass = await anotherBuyer('another@example.com');
    const second = (await manually({ couponCode: 'HALF' }, pass)).body.paymentId;
    await done(app, 'site/deleteCoupon', of({ code: 'HALF' }));
    await done(app, 'site/approveManualPayment', of({ paymentId: first }));
    await done(app, 'site/rejectManualPayment', of({ paymentId: second }));
    const id = couponId({ projectId: shop.projectId, code: 'HALF' });
    const { events } = await done(app, 'audit/getHistory', { kind: 'coupon', id, limit: 200 });
    await done(app, 'audit/undoChange', { position: events.at(-1).position });
    await eventually(coupons, ([one]) => one.redemptions === 1 && one.reserved === 0);
  });
});

describe('the queue of manual payments', () => {
  it('is answered in pages, newest first', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e'];
    for (const offerKey of keys) {
      await shop.offer({ key: offerKey });
      await manually({ offerKey });
    }
    const keysOf = (found: readonly { readonly offerKey: string }[]) => found.map(({ offerKey }) => offerKey).join('');
    expect(keysOf(await list())).toBe('edcba');
    const first = await list({ limit: 2 });
    expect(keysOf(first)).toBe('ed');
    expect(keysOf(await list({ limit: 2, before: first[1].id }))).toBe('cb');
    for (const limit of [0, 201]) {
      expect((await app.call('site/listManualPayments', of({ limit }))).status).toBe(400);
    }
    const other = await openShop(app, processor);
    const wrong = { projectId: other.projectId, before: first[1].id };
    expect((await app.call('site/listManualPayments', wrong)).status).toBe(404);
  });
});
