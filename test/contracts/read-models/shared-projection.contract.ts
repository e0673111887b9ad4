import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EmbeddedEventStore } from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { SystemClock } from '../../../src/adapters/system/system-clock.adapter.js';
import type { PersonalData } from '../../../src/engine/personal-data/personal-data.js';
import { ProjectionFeed } from '../../../src/engine/projections/projection-feed.js';
import { ProjectionMaintenance } from '../../../src/engine/projections/projection-maintenance.js';
import { SharedProjection } from '../../../src/engine/projections/shared-projection.js';
import { streamOf } from '../../../src/kernel/event/stream-name.js';
import type { Document, Projection } from '../../../src/kernel/record/projection.js';
import type { EventStore } from '../../../src/ports/event-store.port.js';
import { CheckpointMoved, type ReadStore } from '../../../src/ports/read-store.port.js';
import { eventually } from '../../support/eventually.js';
import { specMetadata } from '../../support/given/given.js';
import { storeRetryOf } from '../../support/given/store-retry.js';
import { EmbeddedDirectory } from '../embedded-directory.js';
import { type Leaf, plantKind } from './plants.js';
import { dying, failingStart, steppedThrough } from './shared-projection-faults.js';

export interface Stores {
  /** Opens a connection to the same documents, as another process would. */
  open(): Promise<ReadStore>;
  close(): Promise<void>;
}

export function sharedProjectionContract(name: string, opened: () => Promise<Stores>, runs: number): void {
  let directory: EmbeddedDirectory;
  let events: EmbeddedEventStore;
  let stores: Stores;
  let store: ReadStore;
  let running: SharedProjection[];
  let lost: number;
  let number = 0;
  const begin = async () => {
    directory = new EmbeddedDirectory();
    events = new EmbeddedEventStore({ directory: directory.path });
    stores = await opened();
    store = await stores.open();
    running = [];
    lost = 0;
  };
  const end = async () => {
    await Promise.all(running.map((one) => one.stop()));
    await events.close();
    await stores.close();
    directory.remove();
  };
  beforeEach(begin);
  afterEach(end);

  async function record(plant: string, id: string, what = 'Grew', data = {}): Promise<number> {
    number += 1;
    const eventId = `00000000-0000-8000-8000-${String(number).padStart(12, '0')}`;
    const event = { id: eventId, type: `${plant}${what}`, data, metadata: specMetadata({ workspaceId: 'ws' }) };
    const [appended] = await events.append([{ stream: streamOf(plant, 'ws', id), expected: 'any', events: [event] }]);
    return appended?.position ?? -1;
  }

  function process(
    projections: readonly Projection[],
    on: ReadStore = store,
    log: EventStore = events,
  ): SharedProjection {
    const made = new SharedProjection({ name: 'area:wood', projections }, log, on, {
      moved: () => undefined,
      changed: () => undefined,
      failed: (error) => {
        if (error instanceof CheckpointMoved) lost += 1;
      },
      untilAvailable: (work) => work(),
    });
    running.push(made);
    return made;
  }

  async function started(projections: readonly Projection[], on: ReadStore = store): Promise<SharedProjection> {
    const made = process(projections, on);
    await made.start();
    return made;
  }

  /**
   * Starts a process that dies after this number of store calls. Returns whether it died before the start was complete.
   */
  async function killed(projections: readonly Projection[], after: number): Promise<boolean> {
    const { store: mortal, died } = dying(await stores.open(), after);
    const made = process(projections, mortal);
    const isDead = await Promise.race([made.start().then(() => false), died]).catch(() => true);
    if (isDead) await made.stop();
    return isDead;
  }

  const maintenance = (on = store) =>
    new ProjectionMaintenance(events, on, {} as PersonalData, storeRetryOf(new SystemClock()));
  const shown = (collection: string, from: ReadStore = store) => from.find<Leaf>(collection, { where: {} });
  const checkpointOf = async ({ name: plant }: Projection) =>
    store.checkpoint({ projection: plant, generation: (await store.active(plant)) ?? '' });
  const stands = (projections: readonly Projection[], at: number) =>
    eventually(
      async () => {
        store.flushSoon();
        return Math.min(...(await Promise.all(projections.map(checkpointOf))));
      },
      (position) => position >= at,
    );

  /** Compares every collection with a fold of the whole log, and expects a common checkpoint. */
  async function expectWhole(projections: readonly Projection[]): Promise<void> {
    // Writes of another connection become visible on the next turn of the event loop.
    await setImmediate();
    const log = await events.readAll({ from: -1, limit: 10_000 });
    for (const plant of projections) {
      const whole = new Map<string, Document | undefined>();
      for (const event of log) {
        for (const change of plant.changes(event)) {
          if (change.kind === 'step') whole.set(change.id, change.step(whole.get(change.id)));
        }
      }
      const expected = [...whole.values()].filter((one) => one !== undefined);
      expect(await shown(plant.name)).toEqual(expected.sort((a, b) => (a.id < b.id ? -1 : 1)));
    }
    const members = (await store.shared('area:wood'))?.members;
    expect([...(members?.keys() ?? [])].sort()).toEqual(projections.map((one) => one.name).sort());
    expect(new Set(await Promise.all(projections.map(checkpointOf))).size).toBe(1);
    expect(await Promise.all(projections.map((one) => store.builds(one.name)))).toEqual(
      await Promise.all(projections.map(async (one) => [await store.active(one.name)])),
    );
  }

  describe(`read models that share a checkpoint: ${name}`, () => {
    const three = [plantKind('a'), plantKind('b'), plantKind('c')];

    it('are built together, and follow the log together', async () => {
      await record('a', '1');
      await record('b', '1');
      await started(three);
      await record('a', '1');
      await stands(three, await record('c', '1'));
      await expectWhole(three);
    });

    it('that had separate checkpoints are adopted as they are', async () => {
      for (const id of ['1', '2', '3']) for (const plant of ['a', 'b', 'c']) await record(plant, id);
      for (const [at, one] of three.entries()) {
        const build = { projection: one.name, generation: 'v1_0' };
        const feed = new ProjectionFeed([{ projection: one, build }], build, events, store);
        await feed.prepare();
        const part = (await events.readAll({ from: -1, limit: 9 - at })).filter(({ type }) =>
          type.startsWith(one.recordsOf ?? ''),
        );
        const taken = feed.apply(part, 8 - at);
        store.flushSoon();
        await taken;
        await store.activate(build, one.collections);
      }
      const from: number[] = [];
      const log = steppedThrough<EventStore>(events, async (method, [options]) => {
        if (method === 'subscribe') from.push((options as { after: number }).after);
      });
      await process(three, store, log).start();
      await expectWhole(three);
      expect(Math.min(...from)).toBe(5);
      expect(await Promise.all(three.map((one) => store.active(one.name)))).toEqual(['v1_0', 'v1_0', 'v1_0']);
    });

    it('remain when the version of one is raised: only that one is rebuilt, and the others keep following', async () => {
      for (const id of ['1', '2']) for (const plant of ['a', 'b', 'c']) await record(plant, id);
      const first = await started(three);
      await first.stop();
      const raised = [plantKind('a'), plantKind('b', 2), plantKind('c')];
      const gate = Promise.withResolvers<void>();
      let isHeld = false;
      const slow = steppedThrough<ReadStore>(store, async (method, [build]) => {
        if (method === 'commit' && (build as { generation: string }).generation === 'v2_0') {
          isHeld = true;
          await gate.promise;
        }
      });
      const second = process(raised, slow);
      const starting = second.start();
      await eventually(
        async () => isHeld,
        (held) => held,
      );
      // The others advance past the position at which the new build waits.
      await record('b', '3');
      const at = await record('a', '3');
      await eventually(
        () => shown('as'),
        (leaves) => leaves.length === 3,
      );
      await stands([plantKind('a'), plantKind('c')], at);
      expect((await shown('bs')).map(({ version }) => version)).toEqual([1, 1]);
      expect(await checkpointOf(plantKind('b'))).toBeLessThan(at);
      gate.resolve();
      await starting;
      await expectWhole(raised);
      expect(await Promise.all(raised.map((one) => store.active(one.name)))).toEqual(['v1_0', 'v2_0', 'v1_0']);
    });

    it('include one that is new, and drop one that no longer exists', async () => {
      for (const plant of ['a', 'b', 'c']) await record(plant, '1');
      await (await started(three)).stop();
      await record('a', '2');
      const others = [plantKind('a'), plantKind('c'), plantKind('d')];
      await record('d', '1');
      await started(others);
      await stands(others, await record('d', '2'));
      await expectWhole(others);
      expect(await store.checkpoint({ projection: 'bs', generation: 'v1_0' })).toBe(2);
    });

    it('are rebuilt one by one or all by the command line, and join again at the next start', async () => {
      for (const plant of ['a', 'b', 'c']) await record(plant, '1');
      await (await started(three)).stop();
      await record('a', '2');
      await maintenance().rebuild([plantKind('b')]);
      expect(await store.active('bs')).toBe('v1_1');
      await started(three);
      await stands(three, await record('b', '2'));
      await expectWhole(three);
    });

    it('lose what an interrupted rebuild left at the next start', async () => {
      for (const plant of ['a', 'b', 'c']) await record(plant, '1');
      await (await started(three)).stop();
      const interrupted = steppedThrough<ReadStore>(store, async (method) => {
        if (method === 'activate') throw new Error('The process was killed.');
      });
      await expect(maintenance(interrupted).rebuild(three)).rejects.toThrow('killed');
      expect(await store.builds('bs')).toEqual(['v1_0', 'v1_1']);
      await started(three);
      await expectWhole(three);
    });

    it('are given up by a process when another takes them over', async () => {
      for (const plant of ['a', 'b', 'c']) await record(plant, '1');
      const one = await started(three);
      const other = await stores.open();
      await started(three, other);
      await stands(three, await record('b', '1'));
      await eventually(
        async () => lost,
        (times) => times > 0,
      );
      await one.stop();
      await stands(three, await record('a', '1'));
      await expectWhole(three);
    });

    it('set aside events that one of them cannot process, only for that one, until it has a newer version', async () => {
      await record('a', '1');
      const first = await started(three);
      await record('b', '1');
      await record('b', '1', 'Grew', { torn: true });
      await record('b', '2');
      await stands(three, await record('a', '1'));
      expect([first.missing.get('bs'), first.missing.get('as')]).toEqual([1, 0]);
      expect((await shown('bs')).map(({ id, grown }) => [id, grown])).toEqual([
        ['1', 1],
        ['2', 1],
      ]);
      await first.stop();
      const again = await started(three);
      expect(again.missing.get('bs')).toBe(1);
      await again.stop();
      const mended = [plantKind('a'), plantKind('b', 2), plantKind('c')];
      expect((await started(mended)).missing.get('bs')).toBe(0);
      await expectWhole(mended);
    });

    it('show either build completely, wherever in the switch the process is killed', async () => {
      for (const id of ['1', '2']) for (const plant of ['a', 'b', 'c']) await record(plant, id);
      await (await started(three)).stop();
      const raised = [plantKind('a', 2), plantKind('b', 2), plantKind('c')];
      await record('c', '3');
      for (let steps = 0; ; steps += 1) {
        const isDead = await killed(raised, steps);
        for (const plant of ['as', 'bs']) {
          const leaves = await shown(plant);
          expect(leaves.map(({ grown }) => grown)).toEqual([1, 1]);
          expect(new Set(leaves.map(({ version }) => version)).size).toBe(1);
        }
        if (!isDead) break;
      }
      await expectWhole(raised);
    });

    it('are built by the next process, wherever in the first build one is killed', async () => {
      for (let steps = 0, isDead = true; isDead; steps += 1) {
        await end();
        await begin();
        await record('a', '1');
        isDead = await killed(three, steps);
        await Promise.all(running.splice(0).map((one) => one.stop()));
        await started(three);
        await expectWhole(three);
      }
    });

    it('are not written by a process whose start failed for one of them while another was still starting', async () => {
      await record('a', '1');
      const { store: failing, held, release } = failingStart(await stores.open(), { fails: 'as', waits: 'bs' });
      const one = process(three, failing);
      const starting = expect(one.start()).rejects.toThrow('The disk is full.');
      await held;
      const stopping = one.stop();
      await setImmediate();
      release();
      await Promise.all([starting, stopping]);
      await record('b', '1');
      await started(three);
      await expectWhole(three);
      expect(lost).toBe(0);
    });

    it('equal a fold of the log after any commands, versions, restarts, kills and take-overs', async () => {
      const names = ['a', 'b', 'c', 'd'];
      const happening = fc.oneof(
        {
          weight: 6,
          arbitrary: fc.record({
            what: fc.constantFrom('Grew', 'Grew', 'Fell'),
            plant: fc.constantFrom(...names),
            id: fc.constantFrom('1', '2', '3'),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({ what: fc.constant('raise'), plant: fc.constantFrom(...names), id: fc.constant('') }),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            what: fc.constantFrom('start', 'stop', 'rebuild'),
            plant: fc.constantFrom(...names),
            id: fc.constant(''),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            what: fc.constant('kill'),
            plant: fc.constantFrom(...names),
            id: fc.nat(40).map(String),
          }),
        },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(happening, { maxLength: 30 }), async (happenings) => {
          await end();
          await begin();
          const versions = new Map<string, number>([
            ['a', 1],
            ['b', 1],
          ]);
          const all = () => [...versions].map(([one, version]) => plantKind(one, version));
          for (const { what, plant, id } of happenings) {
            if (what === 'raise') versions.set(plant, (versions.get(plant) ?? 0) + 1);
            else if (what === 'start') await started(all(), await stores.open()).catch(() => undefined);
            else if (what === 'kill') await killed(all(), Number(id));
            else if (what === 'stop') await Promise.all(running.splice(0).map((one) => one.stop()));
            else if (what === 'rebuild') await rebuildStopped(all());
            else await record(plant, id, what);
          }
          await Promise.all(running.splice(0).map((one) => one.stop()));
          await started(all());
          await stands(all(), await record('a', 'last'));
          await expectWhole(all());
        }),
        { numRuns: runs },
      );
    }, 200_000);

    async function rebuildStopped(projections: readonly Projection[]): Promise<void> {
      await Promise.all(running.splice(0).map((one) => one.stop()));
      await maintenance().rebuild(projections.slice(0, 1));
    }
  });
}
