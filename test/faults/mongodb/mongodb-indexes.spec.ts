import { MongoReadStore } from '../../../src/adapters/read-store/mongodb/mongo-read-store.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import type { PersonalData } from '../../../src/engine/personal-data/personal-data.js';
import { ProjectionMaintenance } from '../../../src/engine/projections/projection-maintenance.js';
import type { RecordedEvent } from '../../../src/kernel/event/event.js';
import { type Projection, projection, step } from '../../../src/kernel/record/projection.js';
import type { EventStore } from '../../../src/ports/event-store.port.js';
import type { Watched } from '../../../src/ports/read-store.port.js';
import { filled, thing, v1 } from '../../contracts/read-store/read-store-fixture.js';
import { eventually } from '../../support/eventually.js';
import { storeRetryOf } from '../../support/given/store-retry.js';
import { type MongoServer, startMongoServer } from '../../support/mongodb/start-mongo-server.js';

const room = 'read.things@v1_0';
const named: Projection['collections'] = { things: { indexes: [{ fields: ['name'] }] }, notes: { indexes: [] } };
const unique: Projection['collections'] = {
  things: { indexes: [{ fields: ['workspaceId'], unique: true }] },
  notes: { indexes: [] },
};

describe('indexes on existing documents', () => {
  let server: MongoServer;
  let store: MongoReadStore;
  let second: MongoReadStore;
  let told: string[];
  let watched: Watched;
  beforeEach(async () => {
    server = await startMongoServer({ members: 2 });
    const options = { url: server.url, patienceMs: 1_000, reportEveryMs: 200 };
    [store, second] = [new MongoReadStore(options), new MongoReadStore(options)];
    told = [];
    watched = { report: (sentence) => told.push(sentence) };
    await filled(store, [thing('a'), thing('b')]);
  });
  afterEach(async () => {
    server.heal();
    await Promise.all([store.close(), second.close()]);
    await server.close();
  });

  const listed = () => server.indexesOf(room);
  const begun = (name: string) =>
    eventually(
      async () => listed(),
      (names) => names.includes(name),
    );
  const seen = (command: string) => server.seen.filter(({ name }) => name === command).length;
  const more = (command: string, than: number) =>
    eventually(
      async () => seen(command),
      (count) => count > than,
    );

  it('are awaited beyond the time limit of other commands, and those who wait see the progress', async () => {
    const finish = server.holdIndexBuilds();
    const prepared = store.prepare(v1, named, watched);
    await eventually(
      async () => told,
      ({ length }) => length >= 20,
    );
    expect(told[0]).toMatch(
      /^MongoDB has been building the index name of read\.things@v1_0 over 2 documents for \d+ s/,
    );
    finish();
    await prepared;
    expect(listed()).toContain('name');
    expect(server.seen.filter(({ command }) => command['createIndexes'] === room)).toHaveLength(2);
  });

  it('do not count as made by another process while they are listed but still being built', async () => {
    const finish = server.holdIndexBuilds();
    const first = store.prepare(v1, named);
    await begun('name');
    let isPrepared = false;
    const other = second.prepare(v1, named).then(() => {
      isPrepared = true;
    });
    await more('listIndexes', seen('listIndexes') + 1);
    expect(isPrepared).toBe(false);
    finish();
    await Promise.all([first, other]);
  });

  it.each<[string, (server: MongoServer) => void]>([
    ['the connection breaks', (server) => server.disconnect()],
    ['another member becomes primary', (server) => server.elect(1)],
  ])('are completed by the server and awaited, if %s', async (_, happens) => {
    const finish = server.holdIndexBuilds();
    const prepared = store.prepare(v1, named);
    await begun('name');
    const before = seen('listIndexes');
    happens(server);
    await more('listIndexes', before);
    finish();
    await prepared;
    expect(server.seen.filter(({ command }) => command['createIndexes'] === room)).toHaveLength(2);
  });

  it.each([false, true])('report duplicate values if a unique one fails (connection broken: %p)', async (broken) => {
    const finish = server.holdIndexBuilds();
    const prepared = store.prepare(v1, unique);
    const refused = expect(prepared).rejects.toThrow(
      'Two documents of read.things@v1_0 have the same values in the fields of a unique index, so it cannot be built: workspaceId!.',
    );
    await begun('workspaceId!');
    const before = seen('listIndexes');
    if (broken) {
      server.disconnect();
      await more('listIndexes', before);
    }
    finish();
    await refused;
    expect(listed()).not.toContain('workspaceId!');
  });

  it('are reported by a rebuild of a long history, which makes them after all documents', async () => {
    const leaves = projection({
      name: 'leaves',
      version: 1,
      recordsOf: 'leaf',
      collections: { leaves: { indexes: [{ fields: ['size'] }] } },
      on: { Grew: ({ id, position }: RecordedEvent) => [step('leaves', id, () => ({ ...thing(id), size: position }))] },
    });
    const grown = [0, 10_000, 20_000].map((position) => ({
      id: `e${position}`,
      position,
      type: 'Grew',
      stream: 'leaf-w1-x',
      data: {},
    }));
    const log = { head: async () => 20_000, readAll: async () => grown } as unknown as EventStore;
    const finish = server.holdIndexBuilds();
    const rebuilt = new ProjectionMaintenance(log, store, {} as PersonalData, storeRetryOf(new SystemClock())).rebuild(
      [leaves],
      watched.report,
    );
    await eventually(
      async () => told,
      ({ length }) => length >= 4,
    );
    expect(told.at(-1)).toMatch('building the index size of read.leaves@v1_0 over 3 documents');
    finish();
    await rebuilt;
    expect(await store.active('leaves')).toBe('v1_0');
  });

  it.each([26, 27, 276])(
    'that are no longer declared may be dropped by another process in between (%d)',
    async (code) => {
      server.fault({ on: 'dropIndexes', collection: room, mishap: { code } });
      await store.activate(v1, named);
      await store.activate(v1, named);
      expect(listed()).toEqual(['_id_']);
    },
  );

  it('are named if MongoDB has one with the same fields or name but other options', async () => {
    const mail = { things: { indexes: [{ fields: ['mail'] }] } };
    server.fault({ on: 'createIndexes', collection: room, mishap: { code: 86 } });
    await expect(store.prepare(v1, mail)).rejects.toThrow(
      'read.things@v1_0 already has an index with the same name or fields as',
    );
  });

  it('do not delay the stop of a process', async () => {
    const finish = server.holdIndexBuilds();
    const stopping = new AbortController();
    const left = expect(store.prepare(v1, named, { stopping: stopping.signal })).rejects.toThrow(
      'The service is stopping',
    );
    const waiting = expect(second.prepare(v1, named, { stopping: stopping.signal })).rejects.toThrow('is stopping');
    await begun('name');
    stopping.abort();
    await Promise.all([left, waiting]);
    finish();
    await store.prepare(v1, named);
    expect(listed()).toContain('name');
  });

  it('report that MongoDB is away, if it stays away', async () => {
    const finish = server.holdIndexBuilds();
    const prepared = expect(store.prepare(v1, named)).rejects.toThrow('MongoDB does not answer');
    await begun('name');
    server.silence(true);
    server.disconnect();
    await prepared;
    server.silence(false);
    finish();
  });
});
