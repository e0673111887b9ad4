import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedEventStore } from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { EmbeddedReadStore } from '../../../src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { ProjectionFeed } from '../../../src/engine/projections/projection-feed.js';
import { SharedProjection } from '../../../src/engine/projections/shared-projection.js';
import type { RecordedEvent } from '../../../src/kernel/event/event.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import {
  type Document,
  type Projection,
  projection,
  put,
  removeWhere,
  step,
} from '../../../src/kernel/record/projection.js';
import type { EventStore } from '../../../src/ports/event-store.port.js';
import { type Build, type ReadStore, ReadStoreUnavailable } from '../../../src/ports/read-store.port.js';
import { specMetadata } from '../../support/given/given.js';
import { sparse } from '../../support/given/sparse-log.js';
import { EmbeddedDirectory } from '../embedded-directory.js';
import { dying, steppedThrough } from './shared-projection-faults.js';

export interface Stores {
  /** Opens a connection to the same documents, as another process would. */
  open(): Promise<ReadStore>;
  /** The indexed fields of a collection of this build. */
  indexesOf(collection: string, generation: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface Leaf extends Document {
  readonly place: string;
  readonly grown: number;
}

type Event = RecordedEvent<string, { readonly id: string; readonly place: string; readonly grown: number }>;

const workspaceId = 'ws';
const build: Build = { projection: 'leaves', generation: 'v1_0' };
const leaves: Projection = projection({
  name: 'leaves',
  version: 1,
  area: 'wood',
  collections: { leaves: { indexes: [{ fields: ['place', 'grown'] }, { fields: ['grown'] }] } },
  on: {
    Budded: ({ data: { id, place } }: Event) => [put<Leaf>('leaves', { id, workspaceId, place, grown: 0 })],
    Grew: ({ data: { id } }: Event) => [
      step<Leaf>('leaves', id, (leaf) => {
        if (leaf === undefined) throw new Error('It has not budded.');
        return { ...leaf, grown: leaf.grown + 1 };
      }),
    ],
    Fell: ({ data: { id } }: Event) => [step('leaves', id, () => undefined)],
    Swept: ({ data: { place, grown } }: Event) => [removeWhere('leaves', { place, grown: { lte: grown } })],
  },
});

/** A history of leaves that bud, grow, are swept, fall and bud again. */
const history = Array.from({ length: 12 }, (_, year) => [
  ...['a', 'b', 'c'].map((name) => ({ type: 'Budded', id: `${name}${year % 5}`, place: name, grown: 0 })),
  ...['a', 'b', 'b', 'c', 'c', 'c'].map((name) => ({ type: 'Grew', id: `${name}${year % 5}`, place: '', grown: 0 })),
  { type: 'Swept', id: '', place: 'a', grown: 1 },
  { type: 'Grew', id: `c${year % 5}`, place: '', grown: 0 },
  ...(year % 3 === 1 ? [{ type: 'Fell', id: `b${year % 5}`, place: '', grown: 0 }] : []),
  { type: 'Swept', id: '', place: 'b', grown: year % 2 },
]).flat();

export function longHistoryContract(name: string, opened: () => Promise<Stores>, everyCall: number): void {
  let directory: EmbeddedDirectory;
  let log: EmbeddedEventStore;
  let events: EventStore;
  let expected: string;
  let stores: Stores;

  beforeAll(async () => {
    directory = new EmbeddedDirectory();
    log = new EmbeddedEventStore({ directory: directory.path });
    for (const [at, { type, ...data }] of history.entries()) {
      const id = `00000000-0000-8000-8000-${String(at).padStart(12, '0')}`;
      const event = { id, type, data, metadata: specMetadata({ workspaceId, commandId: `c${at}` }) };
      await log.append([{ stream: streamOf('tree', workspaceId, 't'), expected: 'any', events: [event] }]);
    }
    events = sparse(log);
    expected = await liveDigest();
  });
  afterAll(async () => {
    await log.close();
    directory.remove();
  });
  beforeEach(async () => {
    stores = await opened();
  });
  afterEach(() => stores.close());

  /** The digest of a build that was active from the beginning and got the events one by one. */
  async function liveDigest(): Promise<string> {
    const own = new EmbeddedDirectory();
    const store = new EmbeddedReadStore({ directory: own.path, patienceMs: 0 });
    const feed = new ProjectionFeed([{ projection: leaves, build }], build, events, store);
    await feed.prepare();
    for (const event of await events.readAll({ from: -1, limit: 1_000 })) {
      const taken = feed.apply([event], event.position);
      store.flushSoon();
      await taken;
    }
    expect([...feed.missing.values()]).toEqual([0]);
    const digest = await store.digest(build, leaves.collections);
    await store.close();
    own.remove();
    return digest;
  }

  const process = (store: ReadStore, untilAvailable = (work: () => Promise<void>) => work()) =>
    new SharedProjection({ name: 'area:wood', projections: [leaves] }, events, store, {
      moved: () => undefined,
      changed: () => undefined,
      failed: () => undefined,
      untilAvailable,
    });

  async function expectWhole(store: ReadStore, made: SharedProjection): Promise<void> {
    expect(await store.active('leaves')).toBe('v1_0');
    expect(await store.digest(build, leaves.collections)).toBe(expected);
    expect([...(await stores.indexesOf('leaves', 'v1_0'))].sort()).toEqual(['grown', 'place,grown']);
    expect([...made.missing.values()]).toEqual([0]);
  }

  describe(`a long history that is built without indexes at first: ${name}`, () => {
    it('makes the same documents as single events do, and all indexes before queries read them', async () => {
      const store = await stores.open();
      const prepared: number[] = [];
      const watching = steppedThrough(store, async (method, [, collections]) => {
        if (method === 'activate') expect(await stores.indexesOf('leaves', 'v1_0')).toHaveLength(2);
        if (method !== 'prepare') return;
        prepared.push((collections as Projection['collections'])['leaves']?.indexes.length ?? -1);
      });
      const made = process(watching);
      await made.start();
      expect(prepared.slice(0, 2)).toEqual([0, 1]);
      await expectWhole(store, made);
      await made.stop();
    });

    it('continues correctly after a process was killed at any moment', async () => {
      let deaths = 0;
      for (let after = 0; ; after += everyCall) {
        const { store: mortal, died } = dying(await stores.open(), after);
        const first = process(mortal);
        const isDead = await Promise.race([first.start().then(() => false), died]).catch(() => true);
        await first.stop();
        const store = await stores.open();
        const second = process(store);
        await second.start();
        await expectWhole(store, second);
        await second.stop();
        if (!isDead) break;
        deaths += 1;
        await stores.close();
        stores = await opened();
      }
      expect(deaths).toBeGreaterThan(30 / everyCall);
    });

    it('does not switch queries if it is stopped while indexes are made', async () => {
      const store = await stores.open();
      let made: SharedProjection | undefined;
      let stopped: Promise<void> | undefined;
      const stopping = steppedThrough(store, async (method, [, collections]) => {
        if (method !== 'prepare') return;
        if ((collections as Projection['collections'])['leaves']?.indexes.length === 2) stopped = made?.stop();
      });
      made = process(stopping);
      // The start may fail, because a store may abort long work when the process stops.
      await made.start().catch(() => undefined);
      expect(stopped).toBeInstanceOf(Promise);
      await stopped;
      expect(await store.active('leaves')).toBe(undefined);
      const next = process(store);
      await next.start();
      await expectWhole(store, next);
      await next.stop();
    });

    it('never moves the checkpoint back if a round fails and is repeated', async () => {
      const store = await stores.open();
      const moves: (readonly [number, number])[] = [];
      let commits = 0;
      const failing = steppedThrough(store, async (method, [to, from, upTo]) => {
        if (method !== 'commit' || (to as Build).projection !== 'leaves') return;
        commits += 1;
        if (commits % 4 === 3) throw new ReadStoreUnavailable('It is away for a moment.');
        moves.push([from as number, upTo as number]);
      });
      const untilAvailable = async (work: () => Promise<void>) => {
        for (;;) {
          const isDone = await work().then(
            () => true,
            (error: unknown) => {
              if (error instanceof ReadStoreUnavailable) return false;
              throw error;
            },
          );
          if (isDone) return;
        }
      };
      const made = process(failing, untilAvailable);
      await made.start();
      expect(moves.filter(([from, upTo]) => upTo < from)).toEqual([]);
      expect(commits).toBeGreaterThan(moves.length);
      await expectWhole(store, made);
      await made.stop();
    });
  });
}
