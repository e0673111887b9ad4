// Engines: one process.
// Second tier.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { projections } from '../../../projections/projections.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { Clock } from '../../../src/ports/clock.port.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { Vault } from '../../../src/ports/vault.port.js';
import { allOf } from '../../support/all-of.js';
import { startApp, type TestApp, type TestAppOptions } from '../../support/app.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { type Engines, startEngines } from '../../support/engines.js';
import { itTakesAway } from '../../support/on-stand-ins.js';
import { done, otherWorkspace } from '../../support/people.js';
import { cli, embedded, Folders, fire, livedIn, masterKey, seen, texts } from '../../support/stores/log-transfer.js';

const folders = new Folders();
const apps: TestApp[] = [];
let engines: Engines;
let source: TestApp;
let clock: MadeUpClock;
let file: string;

async function start(options: TestAppOptions): Promise<TestApp> {
  const app = await startApp({ engines, ...options });
  apps.push(app);
  return app;
}

beforeEach(async () => {
  engines = await startEngines();
  clock = new MadeUpClock(Date.now() - 31 * 24 * 3_600_000 - 60_000);
  source = await start({ environment: embedded, replacements: [{ provide: Clock, useValue: clock }] });
  file = join(folders.make(), 'log.ndjson');
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  await engines.close();
  folders.remove();
});

const onEmbedded = (dataDir = folders.make()) => ({ ...embedded, DATA_DIR: dataDir });
const onEngines = (dataDir = folders.make()) => ({ ...embedded, ...engines.environment, DATA_DIR: dataDir });
const startOn = (environment: Record<string, string>) =>
  start({ environment, dataDir: environment['DATA_DIR'] ?? '', ownerKey: source.ownerKey });
const storeOf = (app: TestApp) => app.app.get(EventStore);
const keyed = { 'idempotency-key': 'make-1' };
async function hooked(app: TestApp, key: string) {
  const made = await app.call('automations/createFunction', { name: 'f', code: 'return 1' }, key, keyed);
  await done(app, 'automations/updateFunction', { id: made.body.id, isActive: true }, key);
  const { id: webhookId, token } = await done(app, 'automations/createWebhook', { functionId: made.body.id }, key);
  return { id: made.body.id, webhookId, token };
}

/**
 * Stops the service, and starts and stops it once more, because the last use of a key may be recorded too late for the
 * read models.
 */
async function stopped(app: TestApp, environment: Record<string, string>): Promise<void> {
  await app.app.close();
  await (await startOn(environment)).app.close();
}

/** The read models that differ from a rebuild of the log. */
async function differing(environment: Record<string, string>): Promise<readonly string[]> {
  const { code, out, error } = await cli(environment, 'projections:verify');
  expect({ code, error, read: out.length }).toEqual({ code: 0, error: '', read: projections.length });
  return out.filter((line) => !line.includes(': equal at'));
}
const wholeLog = async (app: TestApp, workspaceId?: string) => {
  const snapshot = await storeOf(app).snapshot(workspaceId);
  const events = await allOf(snapshot.events());
  await snapshot.close();
  return events;
};

describe('a workspace with a history', () => {
  it('moves to the engines and back: the same events, keys, webhooks, runs and history, by digest', async () => {
    const { fn, token, viewerKey, automationKey } = await livedIn(source, clock);
    const before = await seen(source);
    const events = texts(await wholeLog(source));
    const { id: workspaceId } = await done(source, 'workspace/getWorkspace');
    const journal = streamOf('run', workspaceId, fn.id);
    const revisionsOf = async (app: TestApp) =>
      (await storeOf(app).readStream(journal)).map(({ revision }) => revision).slice(0, revisions.length);
    const revisions = (await storeOf(source).readStream(journal)).map(({ revision }) => revision);
    expect(revisions[0]).toBeGreaterThan(0);
    const works = async (app: TestApp) => {
      expect(texts(await wholeLog(app, workspaceId)).slice(0, events.length)).toEqual(events);
      expect(await revisionsOf(app)).toEqual(revisions);
      expect(await seen(app)).toEqual(before);
      expect((await fire(app, token)).body).toEqual({ success: true, data: 42 });
      expect((await app.call('workspace/getWorkspace', {}, viewerKey)).body.me.role).toBe('viewer');
      const invoked = await app.call('automations/invokeFunction', { id: fn.id, event: { n: 4 } }, automationKey);
      expect(invoked.body.result).toBe(8);
      expect(await revisionsOf(app)).toEqual(revisions);
    };

    await source.app.close();
    const one = ['--workspace', workspaceId];
    const exported = await cli(onEmbedded(source.dataDir), 'log:export', file, ...one);
    // The stop added one event, the seal of the audit.
    expect(exported).toMatchObject({ code: 0, said: { workspaceId, events: events.length + 1, prunedStreams: 2 } });

    const away = onEngines();
    const imported = await cli(away, 'log:import', file);
    expect(imported).toMatchObject({ code: 0, error: '' });
    expect(imported.said).toEqual({ ...exported.said, recorded: exported.said.events });
    const fromEngines = join(folders.make(), 'from-engines.ndjson');
    expect((await cli(away, 'log:export', fromEngines, ...one)).said).toEqual(exported.said);
    expect(await differing(away)).toEqual([]);
    const there = await startOn(away);
    await works(there);
    await stopped(there, away);
    expect(await differing(away)).toEqual([]);

    const home = onEmbedded();
    expect((await cli(home, 'log:import', fromEngines)).said).toEqual(imported.said);
    const fromHome = join(folders.make(), 'from-home.ndjson');
    expect((await cli(home, 'log:export', fromHome, ...one)).said).toEqual(exported.said);
    expect(await differing(home)).toEqual([]);
    const back = await startOn(home);
    await works(back);
    await stopped(back, home);
    expect(await differing(home)).toEqual([]);
  }, 120_000);

  it('exports nothing from the vault, and no key', async () => {
    const { token, viewerKey, automationKey } = await livedIn(source, clock);
    await cli(onEmbedded(source.dataDir), 'log:export', file);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('webhook-token/');
    for (const secret of [token, viewerKey, automationKey, source.ownerKey, masterKey]) {
      expect(text.includes(secret)).toBe(false);
      expect(text.includes(Buffer.from(secret).toString('base64').slice(0, 20))).toBe(false);
    }
  });

  it('is exported while the service runs, in the state of one moment', async () => {
    const { fn, token } = await livedIn(source, clock);
    let going = true;
    const writing = (async () => {
      for (let n = 0; going; n++) {
        await source.call('automations/updateFunction', { id: fn.id, description: `the ${n}th` });
        await fire(source, token);
      }
    })();
    const exported = await cli(onEmbedded(source.dataDir), 'log:export', file);
    going = false;
    await writing;
    expect(exported).toMatchObject({ code: 0, error: '' });
    const target = onEmbedded();
    expect(await cli(target, 'log:import', file)).toMatchObject({ code: 0, error: '' });
    const app = await startOn(target);
    const events = texts(await wholeLog(app)).slice(0, exported.said.events);
    expect(events).toEqual(texts(await wholeLog(source)).slice(0, exported.said.events));
    const again = join(folders.make(), 'again.ndjson');
    expect((await cli(onEmbedded(source.dataDir), 'log:export', again)).said.events).toBeGreaterThan(events.length);
  }, 60_000);

  // Only on the stand-in, because a real engine may already have a workspace, whose key the test does not know.
  itTakesAway.eventStoreDb(
    'is exported while the service runs on the engines, without what was pruned there',
    async () => {
      const app = await start({ environment: onEngines(), replacements: [{ provide: Clock, useValue: clock }] });
      const { token } = await livedIn(app, clock);
      const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
      const exported = await cli(onEngines(), 'log:export', file, '--workspace', workspaceId);
      expect(exported).toMatchObject({ code: 0, error: '', said: { prunedStreams: 2 } });
      const target = onEmbedded();
      expect((await cli(target, 'log:import', file)).said.digest).toBe(exported.said.digest);
      const here = await startApp({ environment: target, dataDir: target.DATA_DIR, ownerKey: app.ownerKey, engines });
      apps.push(here);
      expect(await seen(here)).toEqual(await seen(app));
      expect((await fire(here, token)).body).toEqual({ success: true, data: 42 });
    },
    60_000,
  );
});

describe('of two workspaces', () => {
  it('one is moved without anything of the other, and without stored answers of its idempotency keys', async () => {
    const { token } = await livedIn(source, clock);
    const { workspaceId, ownerId, ownerKey } = await otherWorkspace(source);
    const other = await hooked(source, ownerKey);
    await fire(source, other.token, { 'idempotency-key': 'order-2' });
    const exported = await cli(onEmbedded(source.dataDir), 'log:export', file, '--workspace', workspaceId);
    expect(exported.said).toMatchObject({ workspaceId, entries: 2 });
    const target = onEmbedded();
    await cli(target, 'log:import', file);
    const app = await startOn(target);
    const names = (await allOf(app.app.get(Vault).sealedEntries())).map(({ name }) => name);
    expect(names).toEqual([
      `personal/${workspaceId}/member.${ownerId}`,
      `webhook-token/${workspaceId}/${other.webhookId}`,
    ]);
    expect((await app.call('automations/listFunctions', {}, ownerKey)).body).toHaveLength(1);
    expect((await app.call('workspace/getWorkspace')).status).toBe(401);
    expect((await fire(app, token)).status).toBe(404);
    const repeated = await fire(app, other.token, { 'idempotency-key': 'order-2' });
    expect([repeated.status, repeated.body]).toEqual([200, { success: true, data: null }]);
    expect((await app.call('automations/listRuns', { functionId: other.id }, ownerKey)).body).toHaveLength(1);
  }, 60_000);

  it('both are moved, with stored answers of idempotency keys', async () => {
    const { fn, token } = await livedIn(source, clock);
    const { ownerKey } = await otherWorkspace(source);
    const other = await hooked(source, ownerKey);
    await cli(onEmbedded(source.dataDir), 'log:export', file);
    const runs = (await source.call('automations/listRuns', { functionId: fn.id })).body;
    const target = onEmbedded();
    expect(await cli(target, 'log:import', file)).toMatchObject({ code: 0, said: { workspaceId: null } });
    const app = await startOn(target);
    const repeated = await fire(app, token, { 'idempotency-key': 'order-1' });
    expect([repeated.status, repeated.body]).toEqual([200, { success: true, data: 42 }]);
    expect((await app.call('automations/listRuns', { functionId: fn.id })).body).toEqual(runs);
    expect((await fire(app, other.token)).body).toEqual({ success: true, data: 1 });
    const reused = await app.call('automations/createFunction', { name: 'g', code: 'return 2' }, ownerKey, keyed);
    expect([reused.status, reused.body.code]).toEqual([409, 'idempotency-key-reused']);
  }, 60_000);

  it('one is added to an installation that has another', async () => {
    await livedIn(source, clock);
    const { workspaceId, ownerKey } = await otherWorkspace(source);
    const { token } = await hooked(source, ownerKey);
    await cli(onEmbedded(source.dataDir), 'log:export', file, '--workspace', workspaceId);
    const host = await start({ environment: { ...embedded } });
    const own = await done(host, 'automations/createFunction', { name: 'own', code: 'return 3' });
    await host.app.close();
    expect(await cli(onEmbedded(host.dataDir), 'log:import', file)).toMatchObject({ code: 0, error: '' });
    const app = await start({ environment: { ...embedded }, dataDir: host.dataDir, ownerKey: host.ownerKey });
    expect((await fire(app, token)).body).toEqual({ success: true, data: 1 });
    expect((await app.call('automations/getFunction', { id: own.id })).body).toEqual(own);
    expect((await app.call('automations/listFunctions')).body).toHaveLength(1);
  }, 60_000);
});
