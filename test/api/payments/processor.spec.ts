import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { done, otherWorkspace, person } from '../../support/people.js';
import { type StandInProcessor, startProcessor } from '../../support/servers/payment-processor.js';
import { filesHolding } from '../../support/stores/kept-texts.js';

let processor: StandInProcessor;
let app: TestApp;
let projectId: string;
beforeAll(async () => {
  processor = await startProcessor();
  app = await startApp({
    environment: { PROCESSOR_URL: processor.url, EGRESS_ALLOW: '127.0.0.1', BASE_URL: 'https://api.example.org' },
  });
});
afterAll(async () => {
  await app.close();
  await processor.close();
});
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Shop' })).id;
});
afterEach(() => processor.faults());

const key = (mode: string) => `sk_${mode}_51CanaryOf${mode}`;
const keep = (mode: 'test' | 'live', value = key(mode), more: object = {}) =>
  done(app, 'site/createEnvVar', {
    projectId,
    name: `PAYMENT_${mode.toUpperCase()}_SECRET_KEY`,
    value,
    ...more,
  });
const connection = () => done(app, 'site/getProcessorConnection', { projectId });
const register = (mode = 'test') => app.call('site/registerProcessorWebhook', { projectId, mode });
const endpoints = () => processor.of('webhook_endpoint').filter(({ url }) => url.includes(`/${projectId}/`));

describe('a connection to the payment processor', () => {
  it('exists only with a stored key and a registered webhook', async () => {
    const none = { hasKey: false, webhook: false };
    expect(await connection()).toEqual({
      connected: false,
      mode: 'test',
      manualPayments: 'auto',
      takesManualPayments: true,
      test: none,
      live: none,
      lastEventAt: null,
      lastError: null,
    });
  });

  it('is complete with both, and no answer shows the key', async () => {
    await keep('test');
    expect((await register()).body).toEqual({ success: true });
    const shown = await connection();
    expect(shown).toMatchObject({ connected: true, test: { hasKey: true, webhook: true } });
    expect(JSON.stringify(shown)).not.toContain('Canary');
  });

  it('registers the address of the project, for the events that it handles', async () => {
    await keep('test');
    await register();
    const [endpoint] = endpoints();
    expect(endpoint.url).toMatch(
      new RegExp(`^https://api\\.example\\.org/api/app/${projectId}/payments/processor-webhook/[\\w-]{20,}$`),
    );
    expect(endpoint.enabled_events.toSorted()).toEqual([
      'charge.dispute.created',
      'charge.refunded',
      'checkout.session.async_payment_failed',
      'checkout.session.async_payment_succeeded',
      'checkout.session.completed',
      'checkout.session.expired',
      'customer.subscription.deleted',
      'customer.subscription.updated',
      'invoice.paid',
      'invoice.payment_failed',
    ]);
  });

  it('has one webhook for each mode: a second registration replaces the first', async () => {
    await keep('test');
    await keep('live');
    await register();
    const [first] = endpoints();
    await register('live');
    await register();
    expect(endpoints().map(({ livemode }) => livemode)).toEqual([true, false]);
    expect(endpoints()).not.toContainEqual(first);
  });

  it('switches between test and live', async () => {
    await keep('live');
    await register('live');
    expect(await connection()).toMatchObject({ mode: 'test', connected: false });
    expect(await done(app, 'site/toggleProcessorMode', { projectId, mode: 'live' })).toEqual({
      success: true,
      endedEntitlements: 0,
    });
    expect(await connection()).toMatchObject({ mode: 'live', connected: true });
  });

  it.each([
    ['no key', undefined, 'processor-key-missing'],
    ['a key of the other mode', 'sk_live_51', 'processor-key-of-other-mode'],
    ['what is no key', 'hunter2 hunter2', 'processor-key-of-other-mode'],
    ['a publishable key', 'pk_test_51', 'processor-key-of-other-mode'],
  ])('is refused with %s', async (_, value, code) => {
    if (value !== undefined) await keep('test', value);
    const { status, body } = await register();
    expect([status, body.code]).toEqual([409, code]);
    expect(JSON.stringify(body)).not.toContain(value ?? 'nothing of the kind');
  });

  it('accepts no key from a variable that is not secret', async () => {
    await keep('test', key('test'), { isSecret: false });
    expect((await register()).body.code).toBe('processor-key-missing');
    expect(await connection()).toMatchObject({ test: { hasKey: false } });
  });

  it('reports why the processor refused, without the key', async () => {
    await keep('test', 'sk_test_51RefusedCanary');
    processor.refuses('sk_test_51RefusedCanary');
    const { status, body } = await register();
    expect([status, body.code]).toEqual([409, 'processor-refused']);
    const { lastError } = await connection();
    expect(lastError).toContain('does not accept the secret key');
    expect(`${JSON.stringify(body)} ${lastError}`).not.toContain('RefusedCanary');
  });

  it('reports that it is asked too often, and no longer once it works', async () => {
    await keep('test');
    processor.faults(429);
    const { status, body } = await register();
    expect([status, body.code]).toEqual([503, 'processor-unavailable']);
    expect((await connection()).lastError).toEqual(expect.any(String));
    expect((await register()).status).toBe(200);
    expect(await connection()).toMatchObject({ lastError: null, connected: true });
  });

  it('ends with its project', async () => {
    await keep('test');
    await register();
    await done(app, 'site/deleteProject', { id: projectId });
    expect((await app.call('site/getProcessorConnection', { projectId })).status).toBe(404);
  });

  it('stores neither keys nor signing secrets in the clear', async () => {
    await keep('test');
    await register();
    const secret = endpoints()[0].secret;
    for (const text of [key('test'), secret]) expect(filesHolding(app.dataDir, text)).toEqual([]);
  });
});

describe('products at the processor', () => {
  const create = (body: object) => app.call('site/createProcessorProduct', { projectId, ...body });

  it('are created with a price, in the present mode', async () => {
    await keep('test');
    const made = await create({ name: 'Mug', amount: 1_250, description: 'Blue.', currency: 'EUR' });
    expect(made.body).toEqual({
      id: expect.any(String),
      name: 'Mug',
      description: 'Blue.',
      active: true,
      amount: 1_250,
      currency: 'eur',
      interval: null,
      intervalCount: null,
    });
    const listed = await done(app, 'site/listProcessorProducts', { projectId });
    expect(listed).toContainEqual(made.body);
  });

  it('are sold by the period', async () => {
    await keep('test');
    const { body } = await create({ name: 'Club', amount: 900, interval: 'month', intervalCount: 3 });
    expect(body).toMatchObject({ interval: 'month', intervalCount: 3, currency: 'usd' });
  });

  it.each([
    [{ amount: -1 }],
    [{ amount: 0.1 }],
    [{ amount: 2 ** 53 }],
    [{ currency: 'euro' }],
    [{ interval: 'hour' }],
    [{ interval: 'day', intervalCount: 0 }],
    [{ name: '' }],
  ])('are refused with %j', async (wrong) => {
    await keep('test');
    const { status, body } = await create({ name: 'Mug', amount: 1, ...wrong });
    expect([status, body.code]).toEqual([400, 'invalid-input']);
  });

  it('are listed for the requested mode', async () => {
    await keep('test');
    const { status, body } = await app.call('site/listProcessorProducts', { projectId, mode: 'live' });
    expect([status, body.code]).toEqual([409, 'processor-key-missing']);
  });
});

describe('offers at the processor', () => {
  const offer = (key: string, more: object = {}) =>
    done(app, 'site/createOffer', { projectId, key, name: key, amount: 900, ...more });
  const sync = () => done(app, 'site/syncProcessorProducts', { projectId });
  const listed = async () =>
    (await done(app, 'site/listProcessorProducts', { projectId })).filter(({ name }: { name: string }) =>
      ['mug', 'club', 'gift', 'Big mug'].includes(name),
    );
  const writes = () => processor.requests.filter(({ method }) => method !== 'GET').length;
  beforeEach(async () => {
    for (const product of processor.of('product')) processor.forget(product.id);
    await keep('test');
  });

  it('are products with their prices, except free ones', async () => {
    await offer('mug', { description: 'Blue.', imageUrl: 'https://shop.example.com/mug.png', currency: 'jpy' });
    await offer('club', { paymentTerm: { every: 2, interval: 'week' }, accessTerm: 'while_subscribed' });
    await offer('gift', { amount: 0 });
    expect(await sync()).toEqual({ success: true });
    expect((await listed()).toSorted((a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1))).toEqual(
      [
        expect.objectContaining({ name: 'club', amount: 900, currency: 'usd', interval: 'week', intervalCount: 2 }),
        expect.objectContaining({ name: 'mug', description: 'Blue.', amount: 900, currency: 'jpy', interval: null }),
      ],
    );
  });

  it('are pushed once: a repetition writes nothing', async () => {
    await offer('mug', { description: 'Blue.' });
    await sync();
    const before = writes();
    await sync();
    expect(writes()).toBe(before);
    expect(await listed()).toHaveLength(1);
  });

  it('follow changes, also back to an earlier price', async () => {
    await offer('mug');
    await sync();
    const update = (more: object) => done(app, 'site/updateOffer', { projectId, key: 'mug', ...more });
    await update({ name: 'Big mug', amount: 1_200, isActive: false });
    await sync();
    expect(await listed()).toEqual([expect.objectContaining({ name: 'Big mug', amount: 1_200, active: false })]);
    await update({ amount: 900 });
    await sync();
    expect(await listed()).toEqual([expect.objectContaining({ amount: 900 })]);
    expect(processor.of('price')).toHaveLength(new Set(processor.of('price').map(({ id }) => id)).size);
  });

  it('follow a change of the period alone', async () => {
    await offer('club', { paymentTerm: { every: 1, interval: 'month' } });
    await sync();
    const paymentTerm = { every: 1, interval: 'year' };
    await done(app, 'site/updateOffer', { projectId, key: 'club', paymentTerm });
    await sync();
    expect(await listed()).toEqual([expect.objectContaining({ interval: 'year', intervalCount: 1 })]);
  });

  it('remain there when they are deleted here', async () => {
    await offer('mug');
    await sync();
    await done(app, 'site/deleteOffer', { projectId, key: 'mug' });
    await sync();
    expect(await listed()).toHaveLength(1);
    expect(processor.requests.filter(({ method }) => method === 'DELETE')).toEqual(
      processor.requests.filter(({ method, path }) => method === 'DELETE' && path.startsWith('/v1/webhook_endpoints')),
    );
  });

  it('are those of the present mode', async () => {
    await offer('mug');
    await done(app, 'site/toggleProcessorMode', { projectId, mode: 'live' });
    const { status, body } = await app.call('site/syncProcessorProducts', { projectId });
    expect([status, body.code]).toEqual([409, 'processor-key-missing']);
  });
});

describe('the connection requires the right to handle payments', () => {
  const operations = [
    ['getProcessorConnection', {}],
    ['registerProcessorWebhook', { mode: 'test' }],
    ['toggleProcessorMode', { mode: 'live' }],
    ['setManualPayments', { manualPayments: 'on' }],
    ['syncProcessorProducts', {}],
    ['listProcessorProducts', {}],
    ['createProcessorProduct', { name: 'Mug', amount: 1 }],
  ] as const;

  it.each(operations)('%s is refused to an Editor', async (name, body) => {
    const { key: editor } = await person(app, 'editor');
    expect((await app.call(`site/${name}`, { projectId, ...body }, editor)).status).toBe(403);
  });

  it.each(operations)('%s answers 404 for another workspace', async (name, body) => {
    const { ownerKey } = await otherWorkspace(app);
    expect((await app.call(`site/${name}`, { projectId, ...body }, ownerKey)).status).toBe(404);
  });
});
