// Engines: one process.
// Second tier.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { StepKinds } from '../../../src/engine/step-work/step-kinds.js';
import { derivedUuid } from '../../../src/kernel/event/derived-id.js';
import { prunedRevision } from '../../../src/kernel/event/pruned-revision.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import { EventStore } from '../../../src/ports/event-store.port.js';
import { Vault } from '../../../src/ports/vault.port.js';
import { allOf } from '../../support/all-of.js';
import { startApp, type TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { cli, embedded, Folders, texts } from '../../support/stores/log-transfer.js';

const kept = new Folders();
const folders = new Folders();
let source: TestApp;
let workspaceId: string;
let functionId: string;
let file: string;
let target: typeof embedded & { DATA_DIR: string };

const apps: TestApp[] = [];

async function runningOn(dataDir: string, ownerKey = ''): Promise<TestApp> {
  const app = await startApp({ environment: embedded, dataDir, ...(ownerKey === '' ? {} : { ownerKey }) });
  apps.push(app);
  return app;
}

beforeAll(async () => {
  source = await startApp({ environment: embedded, dataDir: kept.make() });
  workspaceId = (await done(source, 'workspace/getWorkspace')).id;
  functionId = (await done(source, 'automations/createFunction', { name: 'f', code: 'return 1' })).id;
  await done(source, 'automations/updateFunction', { id: functionId, isActive: true });
  await done(source, 'automations/createWebhook', { functionId });
  file = join(kept.make(), 'log.ndjson');
  const environment = { ...embedded, DATA_DIR: source.dataDir };
  expect(await cli(environment, 'log:export', file)).toMatchObject({ code: 0, error: '' });
});
afterAll(async () => {
  await source.close();
  kept.remove();
});
beforeEach(() => {
  target = { ...embedded, DATA_DIR: join(folders.make(), 'data') };
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  folders.remove();
});

/** Everything that an installation has recorded and sealed, except audit seals, which depend on the clock. */
async function held(app: TestApp) {
  const snapshot = await app.app.get(EventStore).snapshot();
  const events = texts((await allOf(snapshot.events())).filter(({ type }) => type !== 'AuditSealed'));
  await snapshot.close();
  return { events, entries: await allOf(app.app.get(Vault).sealedEntries()) };
}

/** Expects the import to fail with a one-line message. */
async function refusedImport(environment: Record<string, string> = target, path = file): Promise<string> {
  const { code, out, error } = await cli(environment, 'log:import', path);
  expect({ code, out }).toEqual({ code: 1, out: [] });
  expect(error).toMatch(/^[^\n]+\.$/);
  return error;
}

function changed(change: (bytes: Buffer) => Buffer): string {
  const path = join(folders.make(), 'changed.ndjson');
  writeFileSync(path, change(readFileSync(file)));
  return path;
}

describe('log:import refuses, before it creates or opens a store,', () => {
  afterEach(() => expect(existsSync(target.DATA_DIR)).toBe(false));

  it('a log with another master key', async () => {
    expect(await refusedImport({ ...target, MASTER_KEY: '00'.repeat(32) })).toBe(
      'The log is from an installation with another master key: set MASTER_KEY to that one, and try again.',
    );
  });

  it('to generate a master key if there is none', async () => {
    expect(await refusedImport({ DATA_DIR: target.DATA_DIR })).toContain('There is no master key here: set MASTER_KEY');
  });

  it('a file with a changed byte', async () => {
    const path = changed((bytes) => {
      bytes[bytes.indexOf('FunctionCreated') + 3] = 'X'.charCodeAt(0);
      return bytes;
    });
    const line = readFileSync(file, 'utf8').split('"FunctionCreated"')[0]?.split('\n').length;
    expect(await refusedImport(target, path)).toBe(`${path} cannot be imported: line ${line} was changed.`);
  });

  it('a truncated file', async () => {
    const inLine = changed((bytes) => bytes.subarray(0, bytes.length - 10));
    const lines = readFileSync(file, 'utf8').split('\n').length - 1;
    expect(await refusedImport(target, inLine)).toBe(`${inLine} cannot be imported: it is truncated in line ${lines}.`);
    const atLine = changed((bytes) => bytes.subarray(0, bytes.lastIndexOf('\n', -2) + 1));
    expect(await refusedImport(target, atLine)).toContain(`it is truncated after line ${lines - 1}.`);
  });

  it('an invalid file, and a missing one', async () => {
    expect(
      await refusedImport(
        target,
        changed(() => Buffer.from('{}\n')),
      ),
    ).toContain('line 1 is not the beginning of an exported log');
    expect(await refusedImport(target, '/tmp/countersign-nothing.ndjson')).toContain('There is no file');
  });
});

describe('log:import refuses, and changes nothing,', () => {
  it('while the service runs', async () => {
    const app = await runningOn(target.DATA_DIR);
    const before = await held(app);
    expect(await refusedImport()).toContain('The service is running on this data directory; stop it first');
    expect(await held(app)).toEqual(before);
  });

  it('a workspace that has other events here', async () => {
    let app = await runningOn(target.DATA_DIR);
    const before = await held(app);
    await app.app.close();
    const stream = streamOf('workspace', workspaceId, workspaceId);
    expect(await refusedImport()).toBe(
      `The stream ${stream} in the log has other events than in the file: import into a log without this stream.`,
    );
    app = await runningOn(target.DATA_DIR);
    expect(await held(app)).toEqual(before);
  });

  it('a workspace that has continued here', async () => {
    expect((await cli(target, 'log:import', file)).code).toBe(0);
    const app = await runningOn(target.DATA_DIR, source.ownerKey);
    await done(app, 'automations/updateFunction', { id: functionId, name: 'g' });
    await app.app.close();
    expect(await refusedImport()).toMatch(/^The stream \S+ in the log has other events than in the file/);
  });

  it('a stream that was pruned further here', async () => {
    expect((await cli(target, 'log:import', file)).code).toBe(0);
    const app = await runningOn(target.DATA_DIR, source.ownerKey);
    const stream = streamOf('function', workspaceId, functionId);
    await app.app.get(EventStore).truncate(stream, 1);
    await app.app.close();
    expect(await refusedImport()).toContain(`The stream ${stream} in the log has other events than`);
  });
});

describe('log:import of existing events', () => {
  it('records nothing and answers the same digest', async () => {
    const first = await cli(target, 'log:import', file);
    const again = await cli(target, 'log:import', file);
    expect(again).toMatchObject({ code: 0, said: { ...first.said, recorded: 0 } });
    expect(first.said.recorded).toBe(first.said.events);
    const same = await cli({ ...embedded, DATA_DIR: target.DATA_DIR }, 'log:export', join(folders.make(), 'again'));
    expect(same.said.digest).toBe(first.said.digest);
  });
});

describe('log:export refuses, and leaves no file,', () => {
  let path: string;
  beforeEach(() => {
    path = join(folders.make(), 'log.ndjson');
  });
  async function refusedExport(environment: Record<string, string>, ...args: string[]): Promise<string> {
    const { code, error } = await cli(environment, 'log:export', ...args);
    expect(code).toBe(1);
    expect(error).toMatch(/^[^\n]+\.$/);
    return error;
  }

  it('an existing file', async () => {
    writeFileSync(path, 'mine');
    const environment = { ...embedded, DATA_DIR: source.dataDir };
    expect(await refusedExport(environment, path)).toBe(`${path} already exists; pass a new file.`);
    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect(readdirSync(join(path, '..'))).toEqual(['log.ndjson']);
  });

  it('an unknown workspace', async () => {
    const environment = { ...embedded, DATA_DIR: source.dataDir };
    expect(await refusedExport(environment, path, '--workspace', 'ws_none')).toContain(
      'This log has no events of a workspace ws_none',
    );
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  it('a data directory without data, without creating any', async () => {
    expect(await refusedExport(target, path)).toBe(`There is no data in ${target.DATA_DIR}; set DATA_DIR.`);
    expect(existsSync(target.DATA_DIR)).toBe(false);
  });

  it('a log with an incomplete import', async () => {
    const app = await runningOn(target.DATA_DIR);
    const stream = streamOf('run', workspaceId, 'fn_1');
    const left = prunedRevision(stream, derivedUuid('left'), '2026-01-01T00:00:00.000Z');
    await app.app.get(EventStore).append([{ stream, expected: 'none', events: [left] }]);
    expect(await refusedExport(target, path)).toBe(
      `Stream ${stream} was not imported completely: repeat that import first.`,
    );
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });
});

it('after an import with Kafka, reports topics that have messages of the former log', async () => {
  const kafka = { MESSAGES: 'kafka', KAFKA_BROKERS: '127.0.0.1:9', KAFKA_NAMESPACE: 'mine' };
  const { code, said, error } = await cli({ ...target, ...kafka }, 'log:import', file);
  expect([code, said.recorded > 0]).toEqual([0, true]);
  const topics = [
    'run-requests',
    ...source.app.get(StepKinds).all.map(({ topic }) => topic),
    'inbound-mail',
    'site-mail',
    'site-publishes',
  ];
  const named = /delete (.*), or set another KAFKA_NAMESPACE/.exec(error)?.[1]?.split(', ');
  expect(named?.sort()).toEqual(topics.map((topic) => `mine.${topic}`).sort());
});
