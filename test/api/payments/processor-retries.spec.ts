// Second tier.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { done } from '../../support/people.js';
import { type OutsideApp, sharedOutside } from '../../support/shared-outside.js';
import { openShop, type Shop } from '../../support/sites/shops.js';

let app: OutsideApp;
let shop: Shop;
beforeAll(async () => {
  app = await sharedOutside();
});
afterAll(() => app?.close());
beforeEach(async () => {
  shop = await openShop(app, app.processor);
});
afterEach(() => app.processor.faults());

describe('a connection to the payment processor', () => {
  const connection = () => done(app, 'site/getProcessorConnection', { projectId: shop.projectId });
  const register = (headers?: Record<string, string>) =>
    app.call('site/registerProcessorWebhook', { projectId: shop.projectId, mode: 'test' }, app.ownerKey, headers);
  beforeEach(async () => {
    const key = { name: 'PAYMENT_TEST_SECRET_KEY', value: 'sk_test_51Retries' };
    await done(app, 'site/createEnvVar', { projectId: shop.projectId, ...key });
  });

  it('registers once for one Idempotency-Key, even if the first answer was lost', async () => {
    app.processor.faults('after');
    const headers = { 'idempotency-key': `register-${shop.projectId}` };
    expect((await register(headers)).status).toBe(200);
    expect((await register(headers)).status).toBe(200);
    const all = app.processor.of('webhook_endpoint').filter(({ url }) => url.includes(`/${shop.projectId}/`));
    expect(all).toHaveLength(1);
  });

  it.each([
    ['fails', [500, 500, 500]],
    ['breaks off', ['before', 'before', 'before']],
  ] as const)('reports that it %s, and no longer once it works', async (_, faults) => {
    app.processor.faults(...faults);
    const { status, body } = await register();
    expect([status, body.code]).toEqual([503, 'processor-unavailable']);
    expect((await connection()).lastError).toEqual(expect.any(String));
    expect((await register()).status).toBe(200);
    expect(await connection()).toMatchObject({ lastError: null, connected: true });
  });

  it('retries what failed once', async () => {
    app.processor.faults(503);
    expect((await register()).status).toBe(200);
  });
});

describe('payments/checkout', () => {
  it.each(['after', 'before'] as const)('opens one checkout if the connection broke %s it was done', async (fault) => {
    await shop.connect();
    await shop.offer();
    app.processor.faults(fault);
    const { body } = await shop.checkout();
    expect(body.status).toBe('redirect');
    const all = app.processor.of('checkout.session').filter((one) => one.client_reference_id === body.paymentId);
    expect(all).toHaveLength(1);
  });
});
