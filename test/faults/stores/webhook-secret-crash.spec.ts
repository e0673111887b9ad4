// Second tier.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type Death, Fate } from '../../support/given/mortal-vault.js';
import { done } from '../../support/people.js';
import { signedBy } from '../../support/servers/signed-delivery.js';
import { vaultEntries } from '../../support/stores/vault-entries.js';

let fate: Fate;
let app: TestApp;
let hook: { readonly id: string; readonly token: string };
let workspaceId = '';
beforeEach(async () => {
  fate = new Fate();
  app = await startApp({ replacements: [fate.provider] });
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
  const { id } = await done(app, 'automations/createFunction', { name: 'signed', code: 'return 1' });
  await done(app, 'automations/updateFunction', { id, isActive: true });
  hook = await done(app, 'automations/createWebhook', { functionId: id });
});
afterEach(() => app.close());

const [old, fresh] = ['the old secret', 'the new secret'] as const;
const set = (secret: string, key: string) =>
  app.call('automations/setWebhookVerification', { id: hook.id, scheme: 'github', secret }, undefined, {
    'idempotency-key': key,
  });
const accepts = async (secret: string) => {
  const path = `/api/automations/functions/webhook/${hook.token}`;
  return (await app.send('POST', path, '{}', signedBy.github(secret, '{}', secret))).status === 200;
};

async function dies(at: Death['at'], when: Death['when'], call: () => Promise<unknown>) {
  fate.death = { at, when, beginning: 'webhook-secret/' };
  await call();
  expect(fate.died).toBe(true);
  fate.revive();
  app = await app.restart();
}

/** Expects the secrets that the log refers to as the only permanent ones. */
async function agreesWithTheLog() {
  const events = await app.app.get(EventStore, { strict: false }).readStream(`webhook-${workspaceId}.${hook.id}`);
  const last = events.at(-1)?.data as { secretId?: string; previous?: { secretId: string } | null };
  const referred = [last.secretId, last.previous?.secretId].flatMap((id) => (id === undefined ? [] : [id]));
  const names = referred.map((id) => `webhook-secret/${workspaceId}/${id}`).sort();
  await eventually(
    async () => vaultEntries(app, 'webhook-secret/').filter(({ expiresAt }) => expiresAt === null),
    (found) => JSON.stringify(found.map(({ name }) => name)) === JSON.stringify(names),
  );
}

describe('a process that dies while a webhook gets a second secret', () => {
  it.each([
    ['seal', 'before', false],
    ['seal', 'after', false],
    ['keep', 'before', true],
    ['keep', 'after', true],
  ] as const)('%s, %s: the old one is accepted; the new one: %s', async (at, when, accepted) => {
    await set(old, 'first');
    await dies(at, when, () => set(fresh, 'second'));
    expect([await accepts(old), await accepts(fresh)]).toEqual([true, accepted]);
    await agreesWithTheLog();
    expect(await set(fresh, 'second')).toMatchObject({ status: 200, body: { verification: { secrets: 2 } } });
    expect([await accepts(old), await accepts(fresh)]).toEqual([true, true]);
    await agreesWithTheLog();
  });
});

describe('a process that dies while secrets are destroyed', () => {
  it.each(['before', 'after'] as const)('destroy, %s: they are gone when it starts again', async (when) => {
    await set(old, 'first');
    await set(fresh, 'second');
    await dies('destroy', when, () => app.call('automations/setWebhookVerification', { id: hook.id, scheme: null }));
    await eventually(
      async () => vaultEntries(app, 'webhook-secret/'),
      (left) => left.length === 0,
    );
  });

  it.each(['before', 'after'] as const)('destroy, %s: those of a deleted webhook as well', async (when) => {
    await set(old, 'first');
    await dies('destroy', when, () => app.call('automations/deleteWebhook', { id: hook.id }));
    await eventually(
      async () => vaultEntries(app, 'webhook-secret/'),
      (left) => left.length === 0,
    );
  });
});
