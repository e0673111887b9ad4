// Second tier.
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SecretValues } from '../../../src/areas/secrets/env-var/secret-values.api.js';
import { EventStore, EventStoreUnavailable } from '../../../src/ports/event-store.port.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { type Death, Fate } from '../../support/given/mortal-vault.js';
import { done } from '../../support/people.js';
import { vaultEntries } from '../../support/stores/vault-entries.js';

const name = 'PAY_KEY';
const thirtyDays = 30 * 24 * 3_600_000;

let fate: Fate;
let app: TestApp;
let workspaceId = '';
beforeEach(async () => {
  fate = new Fate();
  app = await startApp({ replacements: [fate.provider], environment: { LOG_LEVEL: 'error' } });
  workspaceId = (await done(app, 'workspace/getWorkspace')).id;
});
afterEach(() => app.close());

const value = async () =>
  (await app.app.get(SecretValues, { strict: false }).open(workspaceId, [name])).get(name)?.value;
const entries = async () => vaultEntries(app, 'env-var/');
const set = (text: string, key: string) =>
  app.call('automations/setEnvVar', { name, value: text, overwrite: true }, undefined, { 'idempotency-key': key });

/** The entries without an expiry. */
const permanent = async () => (await entries()).filter(({ expiresAt }) => expiresAt === null);

/** Expects the value that the log refers to as the only permanent one. All others expire or are gone. */
async function agreesWithTheLog() {
  const events = await app.app.get(EventStore, { strict: false }).readStream(`envVar-${workspaceId}.${name}`);
  const last = events.at(-1);
  const referred = last?.type === 'EnvVarSet' ? [(last.data as { readonly valueId: string }).valueId] : [];
  const names = referred.map((id) => `env-var/${workspaceId}/${id}`);
  await eventually(permanent, (found) => JSON.stringify(found.map((one) => one.name)) === JSON.stringify(names));
}

async function dies(at: Death['at'], when: Death['when'], call: () => Promise<unknown>) {
  fate.death = { at, when, beginning: 'env-var/' };
  await call();
  expect(fate.died).toBe(true);
}

async function startAgain() {
  fate.revive();
  app = await app.restart();
}

type Point = readonly [at: Death['at'], when: Death['when'], found: 'old' | 'new'];
const replacing: readonly Point[] = [
  ['seal', 'before', 'old'],
  ['seal', 'after', 'old'],
  ['keep', 'before', 'new'],
  ['keep', 'after', 'new'],
  ['destroy', 'before', 'new'],
  ['destroy', 'after', 'new'],
];

describe('a process that dies while it replaces a secret', () => {
  it.each(replacing)('%s, %s: the %s value is readable, and the rest is deleted', async (at, when, found) => {
    await set('old', 'first');
    await dies(at, when, () => set('new', 'second'));
    expect(await value()).toBe(found);
    await startAgain();
    expect(await value()).toBe(found);
    await agreesWithTheLog();
    expect(await value()).toBe(found);
    for (const { expiresAt } of await entries()) expect(expiresAt ?? 0).toBeLessThanOrEqual(Date.now() + thirtyDays);
  });

  it.each(replacing)('%s, %s: the same call, repeated, stores the new value', async (at, when) => {
    await set('old', 'first');
    await dies(at, when, () => set('new', 'second'));
    await startAgain();
    expect(await set('new', 'second')).toMatchObject({ status: 200, body: { name } });
    expect(await value()).toBe('new');
    await agreesWithTheLog();
    expect(await entries()).toHaveLength(1);
  });
});

describe('a process that dies while it sets a secret for the first time', () => {
  it.each<readonly [Death['at'], Death['when'], string | undefined]>([
    ['seal', 'before', undefined],
    ['seal', 'after', undefined],
    ['keep', 'before', 'new'],
    ['keep', 'after', 'new'],
  ])('%s, %s: there is none, or it has its value: %s', async (at, when, found) => {
    await dies(at, when, () => set('new', 'only'));
    await startAgain();
    expect(await value()).toBe(found);
    expect(await done(app, 'automations/listEnvVars')).toHaveLength(found === undefined ? 0 : 1);
    await agreesWithTheLog();
    expect(await value()).toBe(found);
  });
});

describe('a process that dies while it deletes a secret', () => {
  it.each(['before', 'after'] as const)('destroy, %s: it is deleted, and its value is destroyed', async (when) => {
    await set('old', 'first');
    await dies('destroy', when, () => app.call('automations/deleteEnvVar', { name }));
    await startAgain();
    expect(await value()).toBeUndefined();
    await eventually(entries, (found) => found.length === 0);
  });
});

describe('a vault that fails the call but not the service,', () => {
  it('leaves a recorded value to the saga', async () => {
    await dies('keep', 'before', () => set('new', 'only'));
    expect(await permanent()).toEqual([]);
    fate.revive();
    await agreesWithTheLog();
    expect(await value()).toBe('new');
  });
});

describe('an event store that fails the call', () => {
  it.each([
    ['although it recorded the event: the value is the new one', true, 'new'],
    ['and recorded nothing: the value is the old one', false, 'old'],
  ])('an event store that fails the call %s', async (_, records, found) => {
    await set('old', 'first');
    const store = app.app.get(EventStore, { strict: false });
    const append = store.append.bind(store);
    jest.spyOn(store, 'append').mockImplementationOnce(async (requests) => {
      if (records) await append(requests);
      throw new EventStoreUnavailable('Nobody knows.');
    });
    expect((await set('new', 'second')).status).toBe(503);
    expect(await value()).toBe(found);
    await agreesWithTheLog();
    expect(await value()).toBe(found);
  });
});
