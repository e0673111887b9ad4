// Engines: one process.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PaymentFollowing } from '../../../src/areas/payments/payment/payment-following.api.js';
import { DueSweeps } from '../../../src/engine/due/due-sweeps.js';
import type { SettableClock } from '../../support/clocks/settable-clock.js';
import { eventually } from '../../support/eventually.js';
import { done } from '../../support/people.js';
import type { StandInProcessor } from '../../support/servers/payment-processor.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { openShop, type Shop } from '../../support/sites/shops.js';

const hour = 3_600_000;
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
afterEach(() => processor.faults());

const coupon = (more: object) => done(app, 'site/createCoupon', { projectId: shop.projectId, code: 'LESS', ...more });
const redemptions = async () => (await done(app, 'site/listCoupons', { projectId: shop.projectId }))[0].redemptions;
const session = (paymentId: string) =>
  processor.of('checkout.session').find(({ client_reference_id: of }) => of === paymentId);
const monthly = { every: 1, interval: 'month' };

describe('payments/checkout', () => {
  it('grants a free offer at once', async () => {
    await shop.offer({ amount: 0 });
    const { status, body } = await shop.checkout();
    expect([status, body]).toEqual([
      200,
      { status: 'granted', paymentId: expect.stringMatching(/^pay_/), amount: 0, currency: 'usd' },
    ]);
    expect(await shop.entitlement()).toMatchObject({ status: 'active', expiresAt: null });
    expect((await shop.me(shop.pass))?.['entitlements']).toEqual(['club']);
  });

  it('grants an offer that a coupon pays in full at once, and counts the coupon', async () => {
    await shop.offer();
    await coupon({ percentOff: 100 });
    const { body } = await shop.checkout({ couponCode: 'less', method: 'processor' });
    expect(body).toMatchObject({ status: 'granted', amount: 0 });
    expect(await shop.entitlement()).toMatchObject({ status: 'active', source: { couponCode: 'LESS' } });
    expect(await redemptions()).toBe(1);
  });

  it('leaves a manual payment to a decision, and is manual if no processor is connected', async () => {
    await shop.offer();
    expect((await shop.checkout()).body).toMatchObject({ status: 'pending', amount: 1_000, currency: 'usd' });
    expect(await shop.entitlement()).toBeUndefined();
  });

  it('redirects to the processor, which takes the amount of the offer', async () => {
    await shop.connect();
    await shop.offer({ currency: 'eur' });
    const { body } = await shop.checkout({ successPath: '/thanks?a=1', cancelPath: '/offers' });
    expect(body).toEqual({
      status: 'redirect',
      paymentId: expect.any(String),
      url: expect.stringMatching(/^https:\/\/checkout\.example\.com\//),
      amount: 1_000,
      currency: 'eur',
    });
    const { subdomain } = await done(app, 'site/getProject', { id: shop.projectId });
    const { sent } = session(body.paymentId);
    expect(sent).toMatchObject({ mode: 'payment', line_items: [{ quantity: '1' }] });
    expect(sent.success_url).toMatch(new RegExp(`^http://${subdomain}\\.localhost(:\\d+)?/thanks\\?a=1$`));
    expect(new URL(sent.cancel_url).pathname).toBe('/offers');
    expect(sent.line_items[0].price_data).toMatchObject({ currency: 'eur', unit_amount: '1000' });
    expect(Math.abs(Number(sent.expires_at) * 1_000 - clock.now() - 24 * hour)).toBeLessThan(hour);
    expect(await shop.entitlement()).toBeUndefined();
  });

  it('requests a subscription by the period, with a coupon for its first payment', async () => {
    await shop.connect();
    await shop.offer({ paymentTerm: { every: 3, interval: 'month' }, accessTerm: 'while_subscribed' });
    await coupon({ amountOff: 300 });
    const { body } = await shop.checkout({ couponCode: 'LESS' });
    expect(body).toMatchObject({ status: 'redirect', amount: 700 });
    const { sent, amount_total: total } = session(body.paymentId);
    expect(sent).toMatchObject({
      mode: 'subscription',
      line_items: [{ price_data: { unit_amount: '1000', recurring: { interval: 'month', interval_count: '3' } } }],
    });
    expect(total).toBe(700);
  });

  it.each([
    ['kwd', 5_120, 'one_time', 4_350],
    ['kwd', 5_120, monthly, 4_350],
    ['mga', 123_400, 'one_time', 104_900],
  ])('requests an amount of %s that the processor accepts, after a percentage', async (currency, amount, term, due) => {
    await shop.connect();
    await shop.offer({ currency, amount, paymentTerm: term });
    await coupon({ percentOff: 15 });
    const { status, body } = await shop.checkout({ couponCode: 'LESS' });
    expect([status, body.status, body.amount]).toEqual([200, 'redirect', due]);
    expect(session(body.paymentId).amount_total).toBe(currency === 'mga' ? due / 100 : due);
  });

  it('requests the trial, once for a user', async () => {
    await shop.connect();
    await shop.offer({ paymentTerm: { ...monthly, trialDays: 14 }, accessTerm: 'while_subscribed' });
    const first = (await shop.checkout()).body.paymentId;
    expect(session(first).sent.subscription_data).toMatchObject({ trial_period_days: '14' });
    for (const event of processor.paid(session(first).id)) await shop.deliver(event);
    const second = (await shop.checkout()).body.paymentId;
    expect(session(second).sent.subscription_data).not.toHaveProperty('trial_period_days');
  });

  it('requests the trial again after a checkout that was not completed', async () => {
    await shop.connect();
    await shop.offer({ paymentTerm: { ...monthly, trialDays: 14 }, accessTerm: 'while_subscribed' });
    const first = (await shop.checkout()).body.paymentId;
    await shop.deliver(processor.event('checkout.session.expired', session(first)));
    expect((await shop.mine()).payments).toMatchObject([{ status: 'expired' }]);
    const second = (await shop.checkout()).body.paymentId;
    expect(session(second).sent.subscription_data).toMatchObject({ trial_period_days: '14' });
  });

  it('never reduces an amount below 0', async () => {
    await shop.offer({ amount: 200 });
    await coupon({ amountOff: 900 });
    expect((await shop.checkout({ couponCode: 'LESS' })).body).toMatchObject({ status: 'granted', amount: 0 });
  });

  it('requires a user', async () => {
    await shop.offer();
    expect((await shop.post('payments/checkout', { offerKey: 'club' })).status).toBe(401);
    expect((await shop.get('payments/mine')).status).toBe(401);
    expect((await shop.post('payments/checkout', { offerKey: 'club' }, 'made-up')).status).toBe(401);
  });

  it('refuses an unknown offer, or one no longer sold (SX-13)', async () => {
    expect((await shop.checkout()).status).toBe(404);
    await shop.offer({ amount: 0 });
    await shop.checkout();
    await done(app, 'site/updateOffer', { projectId: shop.projectId, key: 'club', isActive: false });
    const { status, body } = await shop.checkout();
    expect([status, body.code]).toEqual([409, 'offer-inactive']);
    expect(await shop.entitlement()).toMatchObject({ status: 'active' });
  });

  it('refuses a coupon that is off, without affecting past redemptions (SX-14)', async () => {
    await shop.offer({ accessTerm: { for: 1, unit: 'day' } });
    await coupon({ percentOff: 100 });
    await shop.checkout({ couponCode: 'LESS' });
    await done(app, 'site/updateCoupon', { projectId: shop.projectId, code: 'LESS', isActive: false });
    expect((await shop.checkout({ couponCode: 'LESS' })).body.code).toBe('coupon-inactive');
    expect(await redemptions()).toBe(1);
  });

  it('sends nothing to a processor that is not connected, and frees the coupon', async () => {
    await shop.offer();
    await coupon({ percentOff: 50, maxRedemptions: 1 });
    const answer = await shop.checkout({ method: 'processor', couponCode: 'LESS' });
    expect([answer.status, answer.body.code]).toEqual([409, 'processor-key-missing']);
    const key = { name: 'PAYMENT_TEST_SECRET_KEY', value: 'sk_test_51Shop' };
    await done(app, 'site/createEnvVar', { projectId: shop.projectId, ...key });
    const unheard = await shop.checkout({ couponCode: 'LESS' });
    expect([unheard.status, unheard.body.code]).toEqual([409, 'processor-webhook-missing']);
    expect((await shop.mine()).payments).toEqual([]);
    await done(app, 'site/registerProcessorWebhook', { projectId: shop.projectId, mode: 'test' });
    expect((await shop.checkout({ couponCode: 'LESS' })).status).toBe(200);
  });

  it.each([
    'https://evil.example.com/',
    '//evil.example.com',
    '/\\evil.example.com',
    '\\\\evil.example.com',
    'thanks',
    'javascript:alert(1)',
    '/a b',
    '/a\u0000',
    '/ä\n',
    '',
    `/${'a'.repeat(2_000)}`,
  ])('redirects only to pages of the site: %j', async (path) => {
    await shop.offer();
    expect((await shop.checkout({ successPath: path })).status).toBe(400);
    expect((await shop.checkout({ cancelPath: path })).status).toBe(400);
  });

  it.each([
    [{ offerKey: 1 }],
    [{ offerKey: '' }],
    [{ method: 'cash' }],
    [{ couponCode: '' }],
    [{ amount: 1 }],
    [{ currency: 'jpy' }],
  ])('refuses the input %j', async (body) => {
    await shop.offer();
    const { status, body: answer } = await shop.checkout(body);
    expect([status, answer.code]).toEqual([400, 'invalid-input']);
  });

  it("hides the processor's messages from visitors, who learn whom to contact", async () => {
    await shop.offer();
    await shop.connect();
    processor.faults(400);
    const { status, body } = await shop.checkout();
    expect([status, body.code]).toEqual([409, 'checkout-refused']);
    expect(body.detail).toContain('the owner of the site');
    expect(JSON.stringify(body)).not.toContain('Fault for');
    expect((await shop.mine()).payments).toMatchObject([{ status: 'failed', reason: null }]);
    const { lastError } = await done(app, 'site/getProcessorConnection', { projectId: shop.projectId });
    expect(lastError).toContain('Fault for');
  });

  it("reports the processor's refusal, ends the payment and frees its coupon", async () => {
    await shop.connect();
    await shop.offer();
    await coupon({ percentOff: 50, maxRedemptions: 1 });
    // The processor's client repeats no request that was asked too often, but waits before it repeats others.
    processor.faults(429);
    const { status, body } = await shop.checkout({ couponCode: 'LESS' });
    expect([status, body.code]).toEqual([503, 'processor-unavailable']);
    expect((await shop.mine()).payments).toMatchObject([{ status: 'failed', reason: null }]);
    expect((await shop.checkout({ couponCode: 'LESS' })).status).toBe(200);
  });

  it('that is unpaid ends after its day, even without a message of the processor, and frees the coupon', async () => {
    await shop.connect();
    await shop.offer();
    await coupon({ percentOff: 50, maxRedemptions: 1 });
    await shop.checkout({ couponCode: 'LESS' });
    const expiry = app.app.get(DueSweeps, { strict: false });
    clock.set(clock.now() + 24 * hour);
    await expiry.sweep('payment-expiry');
    expect((await shop.mine()).payments).toMatchObject([{ status: 'pending' }]);
    clock.set(clock.now() + 2 * hour);
    await expiry.sweep('payment-expiry');
    expect((await shop.mine()).payments).toMatchObject([{ status: 'expired' }]);
    await eventually(
      () => shop.checkout({ couponCode: 'LESS' }),
      (answer) => answer.status === 200,
    );
  });

  it('that is paid after all counts the coupon, whose last redemption is gone', async () => {
    await shop.connect();
    await shop.offer();
    await coupon({ percentOff: 50, maxRedemptions: 1 });
    const { paymentId } = (await shop.checkout({ couponCode: 'LESS' })).body;
    clock.set(clock.now() + 26 * hour);
    await app.app.get(DueSweeps, { strict: false }).sweep('payment-expiry');
    // What the saga does after the expiry, so that the report surely comes later.
    const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
    await app.app.get(PaymentFollowing, { strict: false }).now(workspaceId, paymentId);
    expect((await shop.mine()).payments).toMatchObject([{ status: 'expired' }]);
    const timestamp = Math.floor(clock.now() / 1_000);
    for (const event of processor.paid(session(paymentId).id)) await shop.deliver(event, { timestamp });
    expect((await shop.mine()).payments).toMatchObject([{ status: 'succeeded' }]);
    await eventually(redemptions, (count) => count === 1);
    expect((await shop.checkout({ couponCode: 'LESS' }, await buyer(0))).body.code).toBe('coupon-used-up');
  });

  it('lets one of 50 simultaneous buyers have the last redemption of a coupon', async () => {
    await shop.offer();
    await coupon({ percentOff: 100, maxRedemptions: 1 });
    const buyers = await Promise.all(Array.from({ length: 5 }, (_, at) => buyer(at)));
    const tries = buyers.flatMap((pass) => Array.from({ length: 10 }, () => pass));
    const answers = await Promise.all(tries.map((pass) => shop.checkout({ couponCode: 'LESS' }, pass)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refusals = new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.code));
    // Later calls of the buyer who got it are refused with this code, because the entitlement is for life.
    refusals.delete('entitlement-held-for-life');
    expect(refusals).toEqual(new Set(['coupon-used-up']));
    expect(await redemptions()).toBe(1);
  });

  async function buyer(at: number): Promise<string> {
    await shop.user(`racer-${at}@example.com`);
    return shop.logIn(`racer-${at}@example.com`);
  }
});

describe('payments/offers', () => {
  it('shows anybody what is for sale, and nothing else', async () => {
    await shop.offer({ description: 'All of it.', features: ['a'] });
    await shop.offer({ key: 'old', isActive: false });
    const { status, body } = await shop.get('payments/offers');
    expect([status, body]).toEqual([
      200,
      [
        {
          key: 'club',
          name: 'Club',
          description: 'All of it.',
          amount: 1_000,
          currency: 'usd',
          paymentTerm: 'one_time',
          accessTerm: 'lifetime',
          entitlementKey: 'club',
          imageUrl: null,
          features: ['a'],
        },
      ],
    ]);
  });
});

describe('payments/mine', () => {
  it("shows a user's own payments and entitlements", async () => {
    await shop.offer({ amount: 0 });
    await shop.checkout();
    await shop.user('else@example.com');
    expect(await shop.mine()).toEqual({
      payments: [
        {
          id: expect.any(String),
          offerKey: 'club',
          amount: 0,
          currency: 'usd',
          couponCode: null,
          method: 'free',
          status: 'succeeded',
          reason: null,
          createdAt: expect.any(String),
        },
      ],
      entitlements: [{ key: 'club', status: 'active', expiresAt: null, graceUntil: null }],
    });
    const others = await shop.logIn('else@example.com');
    expect((await shop.get('payments/mine', others)).body).toEqual({ payments: [], entitlements: [] });
  });
});
