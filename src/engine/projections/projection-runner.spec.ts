import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { steppedThrough } from '../../../test/contracts/read-models/shared-projection-faults.js';
import { MadeUpClock } from '../../../test/support/clocks/made-up-clock.js';
import { specMetadata } from '../../../test/support/given/given.js';
import { storeRetryOf } from '../../../test/support/given/store-retry.js';
import { EmbeddedEventStore } from '../../adapters/event-store/embedded/embedded-event-store.adapter.js';
import { LocalLeases } from '../../adapters/leases/local/local-leases.adapter.js';
import { EmbeddedReadStore } from '../../adapters/read-store/embedded/embedded-read-store.adapter.js';
import type { Environment } from '../../config/environment.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { ReadStore } from '../../ports/read-store.port.js';
import { LeaseKeeper } from '../cluster/lease-keeper.js';
import type { PersonalData } from '../personal-data/personal-data.js';
import { ReadModels } from '../read-models/read-models.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';
import { ProjectionRunner } from './projection-runner.js';
import { ReadModelChanges } from './read-model-changes.js';

let processed: number[];
const changes = ({ position }: RecordedEvent) => {
  processed.push(position);
  return [];
};
const doors = { name: 'doors', version: 1, collections: {}, reads: { types: ['DoorMade'] }, changes };

let directory: string;
let events: EmbeddedEventStore;
let store: EmbeddedReadStore;
beforeEach(() => {
  processed = [];
  directory = mkdtempSync(join(tmpdir(), 'projection-runner-'));
  events = new EmbeddedEventStore({ directory });
  store = new EmbeddedReadStore({ directory, patienceMs: 0 });
});
afterEach(async () => {
  await events.close();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

/** `switching` is called when the new build includes everything, just before queries are switched to it. */
function runnerOf(switching: (takenSoFar: number) => void, on: ReadStore = store) {
  const clock = new MadeUpClock();
  const models = new ReadModels([doors]);
  const readYourWrites = new ReadYourWrites(clock, models, {} as Environment);
  const watched = steppedThrough(on, async (method) => {
    if (method === 'activate') switching(readYourWrites.taken('doors'));
  });
  const runner = new ProjectionRunner(
    events,
    watched,
    readYourWrites,
    new ReadModelChanges(),
    new LeaseKeeper(new LocalLeases(), clock, { value: 'me' }),
    storeRetryOf(clock),
    {} as PersonalData,
    models,
  );
  return { worker: runner.workers()[0], taken: () => readYourWrites.taken('doors') };
}

async function makeDoor(): Promise<void> {
  const event = { id: '00000000-0000-8000-8000-000000000001', type: 'DoorMade', data: {}, metadata: specMetadata() };
  await events.append([{ stream: 'door-ws.1', expected: 'none', events: [event] }]);
}

it.each(['active', 'checkpoint'])('a read model processes nothing if it is stopped before `%s`', async (step) => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const slow = steppedThrough<ReadStore>(store, (method) => (method === step ? held : Promise.resolve()));
  const { worker } = runnerOf(() => undefined, slow);
  const starting = worker?.start();
  await nextTurn();
  const stopping = worker?.stop();
  release();
  await Promise.all([starting, stopping]);
  await makeDoor();
  const other = runnerOf(() => undefined);
  await other.worker?.start();
  await other.worker?.stop();
  expect(processed).toEqual([0]);
});

describe('a read model that is built anew', () => {
  it('includes nothing for queries until they read the new build', async () => {
    await makeDoor();
    const before: number[] = [];
    const { worker, taken } = runnerOf((position) => before.push(position));
    await worker?.start();
    expect([before, taken()]).toEqual([[-1], 0]);
    await worker?.stop();
    const again = runnerOf((position) => before.push(position));
    await again.worker?.start();
    expect([before, again.taken()]).toEqual([[-1], 0]);
    await again.worker?.stop();
  });

  it('loses what an interrupted rebuild left, at the next start', async () => {
    await makeDoor();
    const left = ['v1_1', 'v0_3'].map((generation) => ({ projection: 'doors', generation }));
    for (const build of left) await store.prepare(build, {});
    const { worker } = runnerOf(() => undefined);
    await worker?.start();
    await worker?.stop();
    expect(await store.builds('doors')).toEqual(['v1_0']);
    for (const build of left) await store.prepare(build, {});
    const again = runnerOf(() => undefined);
    await again.worker?.start();
    expect(await store.builds('doors')).toEqual(['v1_0']);
    await again.worker?.stop();
  });
});
