// Second tier.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { EmbeddedEventStore } from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { EventStoreDbEventStore } from '../../../src/adapters/event-store/eventstoredb/eventstoredb-event-store.adapter.js';
import { EmbeddedVault } from '../../../src/adapters/vault/embedded/embedded-vault.adapter.js';
import type { RecordedEvent } from '../../../src/kernel/event/event.js';
import type { AppendRequest, EventStore } from '../../../src/ports/event-store.port.js';
import { Scene } from '../../contracts/event-store/event-store-scene.js';
import { allOf } from '../../support/all-of.js';
import { MadeUpClock } from '../../support/clocks/made-up-clock.js';
import { EventStoreDbTestServer } from '../../support/eventstoredb/test-server.js';
import { type MongoServer, startMongoServer } from '../../support/mongodb/start-mongo-server.js';
import { cli, embedded, Folders, killedCli, masterKey, texts } from '../../support/stores/log-transfer.js';

const folders = new Folders();
let scene: Scene;
let file: string;
let wanted: readonly string[];

afterAll(() => folders.remove());

/** Exports a log with interleaved streams, one of them pruned at its beginning, and a vault. */
async function exported({ events, pruned }: { readonly events: number; readonly pruned: number }) {
  const directory = folders.make();
  const source = { ...embedded, DATA_DIR: directory };
  scene = new Scene();
  file = join(folders.make(), 'log.ndjson');
  const store = new EmbeddedEventStore({ directory });
  for (let from = 0; from < pruned; from += 1_000) await store.append([scene.request('long', 'any', 1_000)]);
  await store.truncate(scene.stream('long'), pruned);
  for (let from = 0; from < events; from += 1_000) {
    await store.append(
      Array.from({ length: Math.min(1_000, events - from) }, (_, n): AppendRequest => {
        const id = n % 50 === 0 ? 'long' : `short-${n % 40}`;
        return scene.request(id, 'any');
      }),
    );
  }
  wanted = await logOf(store);
  await store.close();
  const vault = new EmbeddedVault({ directory, masterKey: Buffer.from(masterKey, 'hex'), clock: new MadeUpClock() });
  for (let n = 0; n < 60; n++) await vault.seal(`secret/${scene.workspaceId}/${n}`, Buffer.from(`secret ${n}`));
  await vault.close();
  expect(await cli(source, 'log:export', file)).toMatchObject({
    code: 0,
    said: { events, prunedStreams: 1, entries: 60 },
  });
}

async function logOf(store: EventStore): Promise<readonly string[]> {
  const snapshot = await store.snapshot();
  const events: readonly RecordedEvent[] = await allOf(snapshot.events());
  await snapshot.close();
  return texts(events);
}

/** Polls until the number is at least `least` or the work has ended. */
async function reached(number: () => number, least: number, work: Promise<unknown>): Promise<void> {
  let over = false;
  const end = () => {
    over = true;
  };
  work.then(end, end);
  while (!over && number() < least) await setTimeout(2);
}

describe('an import into the embedded stores', () => {
  it('that was killed at several points is completed by the next one, and nothing is recorded twice', async () => {
    await exported({ events: 8_000, pruned: 30_000 });
    const target = { ...embedded, DATA_DIR: join(folders.make(), 'data') };
    const path = join(target.DATA_DIR, 'events.db');
    const recorded = () => {
      if (!existsSync(path)) return 0;
      const database = new DatabaseSync(path, { readOnly: true });
      try {
        return Number(database.prepare('SELECT head FROM log').get()?.['head']);
      } catch {
        return 0;
      } finally {
        database.close();
      }
    };
    const left: number[] = [];
    for (const least of [9_000, 25_000, 31_500, 35_000]) {
      await killedCli(target, ['log:import', file], (work) => reached(recorded, least, work));
      left.push(recorded());
    }
    expect(left.filter((head) => head < 30_000).length).toBeGreaterThan(0);
    expect(left.filter((head) => head > 31_000 && head < 37_999).length).toBeGreaterThan(0);
    const finished = await cli(target, 'log:import', file);
    expect(finished).toMatchObject({ code: 0, error: '', said: { events: 8_000, entries: 60 } });
    expect(finished.said.recorded).toBeLessThan(8_000);
    const store = new EmbeddedEventStore({ directory: target.DATA_DIR });
    expect(await logOf(store)).toEqual(wanted);
    await store.close();
  }, 120_000);
});

describe('an import into the engines', () => {
  let server: EventStoreDbTestServer;
  let mongo: MongoServer;
  let target: Record<string, string>;
  beforeAll(() => exported({ events: 300, pruned: 12_000 }), 60_000);
  beforeEach(async () => {
    server = await new EventStoreDbTestServer().start();
    mongo = await startMongoServer();
    target = {
      ...{ MASTER_KEY: masterKey, DATA_DIR: folders.make() },
      ...{ EVENT_STORE: 'eventstoredb', EVENTSTOREDB_URL: server.url, READ_STORE: 'mongodb', MONGODB_URL: mongo.url },
    };
  });
  afterEach(async () => {
    await mongo.close();
    await server.stop();
  });

  const written = () => server.log.records.length;
  async function finishes(): Promise<number> {
    const finished = await cli(target, 'log:import', file);
    expect(finished).toMatchObject({ code: 0, error: '', said: { events: 300, entries: 60 } });
    const store = new EventStoreDbEventStore({ url: server.url });
    expect(await logOf(store)).toEqual(wanted);
    await store.close();
    return finished.said.recorded;
  }

  it('that was killed at several points is completed by the next one, and nothing is recorded twice', async () => {
    const ends: { killed: boolean }[] = [];
    for (const least of [6_000, 11_500, 12_100, 12_220]) {
      ends.push(await killedCli(target, ['log:import', file], (work) => reached(written, least, work)));
      server.log.forget();
    }
    expect(ends.filter(({ killed }) => killed)).toHaveLength(4);
    expect(await finishes()).toBeLessThan(300);
  }, 120_000);

  it.each([
    ['streams that lost their beginning are brought', 6_000],
    ['events are brought', 12_120],
  ])(
    'during which EventStoreDB goes away while %s reports it, and is completed when it is back',
    async (_, least) => {
      const broken = cli(target, 'log:import', file);
      await reached(written, least, broken);
      await server.stop();
      const { code, error } = await broken;
      expect(code).toBe(1);
      expect(error).toMatch(/^The event store is not available: [^\n]+\.$/);
      await server.start();
      await finishes();
    },
    120_000,
  );

  it('whose answers are lost is completed by the next one', async () => {
    const broken = cli(target, 'log:import', file);
    await reached(written, 12_120, broken);
    server.faults.dropAnswers = 1;
    expect((await broken).code).toBe(1);
    await finishes();
  }, 120_000);

  it('whose vault fails reports it, has recorded nothing, and is completed by the next one', async () => {
    const before = written();
    mongo.fault({ on: 'update', collection: 'vault', after: 20, mishap: { writeConcernCode: 64 } });
    const { code, error } = await cli(target, 'log:import', file);
    expect([code, written()]).toEqual([1, before]);
    expect(error).toContain('The vault is not available: MongoDB did not finish in time');
    expect(await finishes()).toBe(300);
  }, 120_000);

  it('is aborted if something else writes to a stream of the file, and names the stream', async () => {
    const broken = cli(target, 'log:import', file);
    await reached(written, 12_120, broken);
    const other = new EventStoreDbEventStore({ url: server.url });
    for (let n = 0; n < 40; n++) await other.append([scene.request(`short-${n}`, 'any')]);
    await other.close();
    const { code, error } = await broken;
    expect(code).toBe(1);
    expect(error).toMatch(
      /^Another process writes to stream function-\S+: stop everything that uses this log, and try again\.$/,
    );
    expect((await cli(target, 'log:import', file)).error).toContain('in the log has other events than in the file');
  }, 120_000);
});
