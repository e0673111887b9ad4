import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ApprovedChanges } from '../../../src/areas/approvals/pending-change/approved-changes.api.js';
import { refusalOf } from '../../../src/areas/proxy/proxy.refusals.js';
import { ServerProxy } from '../../../src/areas/proxy/server-proxy/server-proxy.api.js';
import { agentWith } from '../../support/automations/agents.js';
import { eventually } from '../../support/eventually.js';
import { done, keyOf } from '../../support/people.js';
import { PageClient } from '../../support/sites/page-client.js';
import { ProxyScene } from '../../support/sites/proxy-scene.js';

const scene = new ProxyScene();
let agentKey: string;
beforeAll(() => scene.start());
afterAll(() => scene.app.close());
beforeEach(async () => {
  await scene.begin();
  agentKey = await keyOf(scene.app, { kind: 'agent', agentId: (await agentWith(scene.app, { asks: 'changes' })).id });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await scene.end();
});

/** Returns the card of a request that the agent asks the service to send. */
async function asked(url: string) {
  const { status, body } = await scene.member({ url, method: 'POST', body: 'order' }, agentKey);
  expect(status).toBe(202);
  const { id, hash } = body.pendingChange;
  const headers = { 'Idempotency-Key': id };
  return {
    approve: () => scene.app.call('approvals/approvePendingChange', { id, hash }, undefined, headers),
    page: async () => {
      const client = new PageClient(scene.app);
      await client.signIn(scene.app.ownerKey);
      return (await client.get(`/approvals/${id}`)).text;
    },
    status: async () => (await done(scene.app, 'approvals/getPendingChange', { id })).status,
  };
}

describe('an approved call that reaches outside', () => {
  it('is sent once, although both the approval and the saga apply the change', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const server = await scene.slow(() => promise);
    const card = await asked(server.url('api.test', '/orders'));
    const apply = jest.spyOn(scene.app.app.get(ApprovedChanges, { strict: false }), 'apply');
    const approving = card.approve();
    await eventually(
      async () => apply.mock.calls.length,
      (calls) => calls === 2,
    );
    resolve();
    expect((await approving).body.status).toBe('applied');
    await Promise.all(apply.mock.results.map(({ value }) => value));
    expect(server.seen.map(({ path }) => path)).toEqual(['/orders']);
  });

  it('stays approved while a limit refuses it, and is sent once there is room', async () => {
    const card = await asked(scene.at('/orders'));
    const proxy = scene.app.app.get(ServerProxy, { strict: false });
    const full = jest.spyOn(proxy, 'send').mockImplementation(async () => {
      throw refusalOf('proxy-busy', { most: 32 }, { retryAfterSeconds: 1 });
    });
    const refused = await card.approve();
    expect([refused.status, refused.body.code]).toEqual([429, 'proxy-busy']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await card.status()).toBe('pending');
    const page = await card.page();
    expect(page).toContain('This change is approved already');
    expect(page).not.toMatch(/for a person|<form method="post" action="\/approvals\/change_/);
    full.mockRestore();
    const repeated = await card.approve();
    expect([repeated.status, repeated.body.status]).toEqual([200, 'applied']);
    expect(scene.server.seen.map(({ path }) => path)).toEqual(['/orders']);
  });
});
