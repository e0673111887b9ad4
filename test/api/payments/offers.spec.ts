import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Offers } from '../../../src/areas/payments/offer/offers.api.js';
import { Refusal } from '../../../src/kernel/refusals/refusal.js';
import type { TestApp } from '../../support/app.js';
import { done, keyOf, otherWorkspace, person } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let projectId: string;
beforeAll(async () => {
  app = await sharedApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  projectId = (await done(app, 'site/createProject', { name: 'Shop' })).id;
});

type Offer = Record<string, unknown> & { readonly key: string };
const gold = { key: 'gold', name: 'Gold', amount: 1_990 };
const send = (operation: string, body: object = {}, as?: string) =>
  app.call(`site/${operation}`, { projectId, ...body }, as);
const create = (body: object = {}): Promise<Offer> => done(app, 'site/createOffer', { projectId, ...gold, ...body });
const update = (body: object, key = 'gold'): Promise<Offer> =>
  done(app, 'site/updateOffer', { projectId, key, ...body });
const list = (): Promise<readonly Offer[]> => done(app, 'site/listOffers', { projectId });
const refused = async (operation: string, body: object = {}, as?: string) => {
  const { status, body: answer } = await send(operation, body, as);
  return [status, answer.code, answer.errors?.[0]?.path].filter((one) => one !== undefined);
};
const offers = () => app.app.get(Offers, { strict: false });
const workspaceId = async (): Promise<string> => (await done(app, 'workspace/getWorkspace')).id;

describe('createOffer', () => {
  it('has defaults', async () => {
    const made = await create();
    expect(made).toEqual({
      ...gold,
      description: '',
      currency: 'usd',
      paymentTerm: 'one_time',
      accessTerm: 'lifetime',
      entitlementKey: 'gold',
      imageUrl: null,
      features: [],
      isActive: true,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await list()).toEqual([made]);
  });

  it('stores all sent fields', async () => {
    const sent = {
      description: 'All of it',
      currency: 'JPY',
      paymentTerm: { every: 3, interval: 'month', trialDays: 14 },
      accessTerm: 'while_subscribed',
      entitlementKey: 'Member of the Club',
      imageUrl: '/images/gold.png',
      features: ['One', 'Two'],
      isActive: false,
    };
    expect(await create(sent)).toMatchObject({ ...sent, currency: 'jpy' });
  });

  it.each([0, 1, Number.MAX_SAFE_INTEGER])('accepts the amount %d', async (amount) => {
    expect(await create({ amount })).toMatchObject({ amount });
  });

  it.each([-1, 0.1, 2 ** 53, 1e300, '100', null, true, [100], {}])('refuses the amount %j', async (amount) => {
    expect(await refused('createOffer', { ...gold, amount })).toEqual([400, 'invalid-input', 'amount']);
    await create();
    expect(await refused('updateOffer', { key: 'gold', amount })).toEqual([400, 'invalid-input', 'amount']);
  });

  it.each(['xyz', '', 'us', 'dollar', 'xau', 'dem', '$', 'ſek', 7])('refuses the currency %j', async (currency) => {
    expect(await refused('createOffer', { ...gold, currency })).toEqual([400, 'invalid-input', 'currency']);
  });

  it.each(['Gold', 'gold medal', '-gold', '_gold', '', 'gold!', 'göld', 'x'.repeat(65), 7, null])(
    'refuses the key %j',
    async (key) => {
      expect(await refused('createOffer', { ...gold, key })).toEqual([400, 'invalid-input', 'key']);
    },
  );

  it.each(['g', '0', 'gold-2_x', 'x'.repeat(64)])('accepts the key %s', async (key) => {
    expect(await create({ key })).toMatchObject({ key, entitlementKey: key });
  });

  it.each(['monthly', null, { every: 37, interval: 'month' }])('refuses the payment term %j', async (paymentTerm) => {
    expect(await refused('createOffer', { ...gold, paymentTerm })).toEqual([400, 'invalid-input', 'paymentTerm']);
  });

  it.each(['forever', null, { for: 101, unit: 'year' }])('refuses the access term %j', async (accessTerm) => {
    expect(await refused('createOffer', { ...gold, accessTerm })).toEqual([400, 'invalid-input', 'accessTerm']);
  });

  it.each([
    'javascript:alert(1)',
    '//elsewhere.example/x.png',
    'data:image/png;base64,AA',
    '/\\elsewhere',
    'gold.png',
    7,
  ])('refuses the picture %j', async (imageUrl) => {
    expect(await refused('createOffer', { ...gold, imageUrl })).toEqual([400, 'invalid-input', 'imageUrl']);
  });

  it('refuses features that are not texts, or too many', async () => {
    for (const features of ['x', [1], [null], ['x'.repeat(501)], Array(101).fill('x')]) {
      expect(await refused('createOffer', { ...gold, features })).toEqual([400, 'invalid-input', 'features']);
    }
  });

  it('accepts a key once in a project, also from twenty simultaneous calls', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => send('createOffer', gold)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)]);
    expect(replies.find(({ status }) => status === 409)?.body.code).toBe('offer-key-taken');
    expect(await list()).toHaveLength(1);
    projectId = (await done(app, 'site/createProject', { name: 'Second shop' })).id;
    await create();
  });
});

describe('updateOffer', () => {
  it('changes what is sent and nothing else', async () => {
    const before = await create({ imageUrl: 'https://example.com/a.png', features: ['One'] });
    const after = await update({ name: 'Gold plus', amount: 0, imageUrl: '', features: [] });
    expect(after).toEqual({
      ...before,
      name: 'Gold plus',
      amount: 0,
      imageUrl: null,
      features: [],
      updatedAt: expect.any(String),
    });
    expect(await update({ name: 'Gold plus' })).toEqual(after);
  });

  it('records new terms as such, and does not change past purchases', async () => {
    await create();
    const workspace = await workspaceId();
    const first = await offers().termsOf(workspace, projectId, 'gold');
    await update({ name: 'Another name' });
    expect((await offers().termsOf(workspace, projectId, 'gold')).termsId).toBe(first.termsId);
    await update({ amount: 2_990 });
    const second = await offers().termsOf(workspace, projectId, 'gold');
    expect([first.amount, second.amount]).toEqual([1_990, 2_990]);
    expect(second.termsId).not.toBe(first.termsId);
    await update({ amount: 1_990 });
    expect((await offers().termsOf(workspace, projectId, 'gold')).termsId).not.toBe(first.termsId);
  });

  it('inactive ends its sale: it is still listed, but cannot be bought', async () => {
    await create();
    await create({ key: 'silver' });
    await update({ isActive: false });
    expect((await list()).map(({ key, isActive }) => [key, isActive])).toEqual([
      ['gold', false],
      ['silver', true],
    ]);
    const workspace = await workspaceId();
    expect((await offers().active(workspace, projectId)).map(({ key }) => key)).toEqual(['silver']);
    await expect(offers().termsOf(workspace, projectId, 'gold')).rejects.toBeInstanceOf(Refusal);
    await update({ isActive: true });
    expect(await offers().active(workspace, projectId)).toHaveLength(2);
  });

  it('of an unknown key is 404', async () => {
    for (const key of ['none', 'GOLD', 'a/b', '..']) {
      expect(await refused('updateOffer', { key, name: 'x' })).toEqual([404, 'offer-not-found']);
      expect(await refused('deleteOffer', { key })).toEqual([404, 'offer-not-found']);
    }
  });
});

describe('deleteOffer', () => {
  it('frees the key for another offer with its own terms', async () => {
    await create({ description: 'The first' });
    const workspace = await workspaceId();
    const first = await offers().termsOf(workspace, projectId, 'gold');
    await done(app, 'site/deleteOffer', { projectId, key: 'gold' });
    expect(await list()).toEqual([]);
    expect(await create()).toMatchObject({ description: '' });
    expect((await offers().termsOf(workspace, projectId, 'gold')).termsId).not.toBe(first.termsId);
  });
});

describe('offers', () => {
  it('can be seen by every member and changed by Editors', async () => {
    await create();
    const viewer = await person(app, 'viewer');
    expect((await send('listOffers', {}, viewer.key)).status).toBe(200);
    expect((await refused('updateOffer', { key: 'gold', amount: 1 }, viewer.key))[0]).toBe(403);
    const editor = await person(app, 'editor');
    expect((await send('updateOffer', { key: 'gold', amount: 1 }, editor.key)).status).toBe(200);
    const keeps = await keyOf(app, { kind: 'person', neverDeletes: true });
    expect((await refused('deleteOffer', { key: 'gold' }, keeps))[0]).toBe(403);
    const { ownerKey } = await otherWorkspace(app);
    for (const operation of ['listOffers', 'createOffer', 'updateOffer', 'deleteOffer']) {
      const body = { listOffers: {}, createOffer: gold }[operation] ?? { key: 'gold' };
      expect((await refused(operation, body, ownerKey))[0]).toBe(404);
    }
  });
});
