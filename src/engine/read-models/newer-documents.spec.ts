import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { specMetadata } from '../../../test/support/given/given.js';
import { EmbeddedEventStore } from '../../adapters/event-store/embedded/embedded-event-store.adapter.js';
import { EmbeddedReadStore } from '../../adapters/read-store/embedded/embedded-read-store.adapter.js';
import type { Environment } from '../../config/environment.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import type { Document } from '../../kernel/record/projection.js';
import { record, recordsProjection } from '../../kernel/record/record.js';
import { declareKind } from '../../kernel/record/understanding.js';
import { AggregateLoader } from '../commands/aggregate-loader.js';
import { ProjectionFeed } from '../projections/projection-feed.js';
import { CurrentReadStore } from './current-read-store.js';
import { ReadModels } from './read-models.js';
import { ReadYourWrites } from './read-your-writes.js';
import { UnderstoodLog } from './understood-log.js';

interface Door extends Document {
  readonly opened: number;
  readonly locked: boolean;
}
type DoorEvent =
  | DomainEvent<'DoorMade', object>
  | DomainEvent<'DoorOpened', object>
  | DomainEvent<'DoorLocked', object>;

const doors = record<Door, DoorEvent>()({
  category: 'specDoor',
  auditedFor: 'workspace.read',
  shownBy: null,
  undoing: 'Nothing of it can be undone.',
  mustUnderstand: ['DoorLocked'],
  missing: () => {
    throw new Error('There is no such door.');
  },
  begins: { DoorMade: (_, ids) => ({ ...ids, opened: 0, locked: false }) },
  continues: {
    DoorOpened: (door) => ({ ...door, opened: door.opened + 1 }),
    DoorLocked: (door) => ({ ...door, locked: true }),
  },
});
const projection = recordsProjection(doors, { name: 'specDoors', version: 1, indexes: [] });
const build = { projection: 'specDoors', generation: 'v1_0' };
const streamOf = (id: string) => `specDoor-ws.${id}`;
const needed = { code: 'newer-version-needed', kind: 'unavailable' };

let directory: string;
let events: EmbeddedEventStore;
let log: UnderstoodLog;
let documents: EmbeddedReadStore;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'newer-documents-'));
  events = new EmbeddedEventStore({ directory });
  log = new UnderstoodLog(events);
  documents = new EmbeddedReadStore({ directory, patienceMs: 0 });
});
afterEach(async () => {
  declareKind('specDoor', doors.types, ['DoorLocked']);
  await events.close();
  await documents.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Declares the kind as an older version does, which does not know the event for locks. */
const asOlderVersion = () => declareKind('specDoor', ['DoorMade', 'DoorOpened']);

let number = 0;
async function append(id: string, ...types: readonly DoorEvent['type'][]): Promise<void> {
  const made = types.map((type) => {
    number += 1;
    return {
      id: `00000000-0000-8000-8000-${String(number).padStart(12, '0')}`,
      type,
      data: {},
      metadata: specMetadata(),
    };
  });
  await log.append([{ stream: streamOf(id), expected: 'any', events: made }]);
}

async function project(): Promise<void> {
  const feed = new ProjectionFeed([{ projection, build }], build, log, documents);
  await feed.prepare();
  const found = await log.readAll({ from: feed.position, limit: 100, types: doors.types });
  const taken = feed.apply(found, await log.head());
  documents.flushSoon();
  await taken;
  if ((await documents.active('specDoors')) === undefined) await documents.activate(build, projection.collections);
}

function fresh() {
  const models = new ReadModels([projection]);
  const readYourWrites = new ReadYourWrites(new MadeUpClock(), models, {} as Environment);
  readYourWrites.moved('specDoors', Number.MAX_SAFE_INTEGER);
  return {
    loader: new AggregateLoader(log, documents, models, readYourWrites),
    reads: new CurrentReadStore(documents, readYourWrites, models),
  };
}

const opened = Array.from({ length: 12 }, () => 'DoorOpened' as const);

describe('a document that includes an event which must be understood', () => {
  beforeEach(async () => {
    await append('a', 'DoorMade', 'DoorLocked', ...opened);
    await append('b', 'DoorMade', ...opened);
    await project();
  });

  it('equals the record, for a version that knows it', async () => {
    const { loader, reads } = fresh();
    const door = { workspaceId: 'ws', id: 'a', opened: 12, locked: true };
    expect(await reads.get('specDoors', 'a')).toEqual(door);
    expect((await loader.load(doors, streamOf('a'))).state).toEqual(door);
    expect((await reads.find('specDoors', { where: { id: 'a' } }))[0]).toEqual(door);
  });

  it('is neither shown nor loaded by an older version, which works with all others', async () => {
    asOlderVersion();
    const { loader, reads } = fresh();
    await expect(reads.get('specDoors', 'a')).rejects.toMatchObject(needed);
    await expect(loader.load(doors, streamOf('a'))).rejects.toMatchObject(needed);
    expect(await reads.get('specDoors', 'b')).toMatchObject({ opened: 12 });
    expect((await loader.load(doors, streamOf('b'))).state).toMatchObject({ opened: 12 });
    expect((await reads.find('specDoors', { where: { id: 'a' } }))[0]).not.toHaveProperty('neededTypes');
  });

  it('keeps its mark when later events change it', async () => {
    await append('a', 'DoorOpened');
    await project();
    asOlderVersion();
    await expect(fresh().reads.get('specDoors', 'a')).rejects.toMatchObject(needed);
  });
});

describe('an older version that reads the log', () => {
  it('gets no page beyond such an event, while what others read continues', async () => {
    await append('a', 'DoorMade', 'DoorLocked', 'DoorOpened');
    asOlderVersion();
    await expect(log.readAll({ types: ['DoorMade', 'DoorOpened'], limit: 10 })).rejects.toMatchObject(needed);
    await expect(log.readAll({ categories: ['specDoor'], limit: 10 })).rejects.toMatchObject(needed);
    expect(await log.readAll({ limit: 10, onlyShown: true })).not.toEqual([]);
    expect(await log.readAll({ types: ['FunctionCreated'], limit: 10 })).toEqual([]);
    expect(await log.readAll({ categories: ['function'], limit: 10 })).toEqual([]);
  });

  it('gets everything before it once, in order, and continues there once it knows the event', async () => {
    await append('b', 'DoorMade', 'DoorOpened');
    await append('a', 'DoorMade', 'DoorLocked', 'DoorOpened');
    asOlderVersion();
    const told: string[] = [];
    const stops: string[] = [];
    let stopped = Promise.withResolvers<void>();
    const subscription = log.subscribe({
      types: ['DoorMade', 'DoorOpened'],
      after: -1,
      handle: async (batch) => {
        told.push(...batch.map(({ stream, type }) => `${stream} ${type}`));
        if (told.length === 4) stopped.resolve();
      },
      stopped: ({ message }) => {
        stops.push(message);
        stopped.resolve();
      },
    });
    await stopped.promise;
    const before = ['specDoor-ws.b DoorMade', 'specDoor-ws.b DoorOpened', 'specDoor-ws.a DoorMade'];
    expect([told, stops.length]).toEqual([before, 1]);
    expect(stops[0]).toContain('DoorLocked');
    stopped = Promise.withResolvers<void>();
    declareKind('specDoor', doors.types);
    await stopped.promise;
    expect(told).toEqual([...before, 'specDoor-ws.a DoorOpened']);
    await subscription.stop();
  });
});
