import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { projections } from '../../../projections/projections.js';
import { EmbeddedEventStore } from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { EmbeddedReadStore } from '../../../src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { catchUp } from '../../../src/engine/projections/catch-up.js';
import { ProjectionFeed } from '../../../src/engine/projections/projection-feed.js';
import { firstGeneration } from '../../../src/engine/read-models/generation.js';
import type { NewEvent } from '../../../src/kernel/event/event.js';
import type { Build } from '../../../src/ports/read-store.port.js';
import { EmbeddedDirectory } from '../../contracts/embedded-directory.js';
import { randomMoment } from '../../support/clocks/delays.js';
import { spawnService, startServiceProcess } from '../../support/service-process.js';

const workspaceId = 'ws_01k9xw2m7c5f8q3r6t9v2y4a7b';
const functions = 40;
/** So many that read models are built without indexes at first, and in several commits. */
const runs = 20_000;
const idOf = (kind: string, number: number) => `${kind}_${String(number).padStart(26, '0')}`;

function event(number: number, type: string, data: object): NewEvent {
  const commandId = randomUUID();
  const actor = { kind: 'person', id: 'mem_01k9xw2m7c5f8q3r6t9v2y4a7b', name: 'Owner' } as const;
  const at = new Date(Date.now() - (runs - number)).toISOString();
  const about = { workspaceId, actor, correlationId: commandId, causationId: null, commandId, at };
  return { id: randomUUID(), type, data, metadata: { ...about, operation: 'automations/run' } };
}

/** Writes runs of some functions that change in between. Now and then the oldest runs of a function are forgotten. */
async function writeHistory(directory: string): Promise<void> {
  const store = new EmbeddedEventStore({ directory });
  const append = (category: string, id: string, ...events: NewEvent[]) =>
    store.append([{ stream: `${category}-${workspaceId}.${id}`, expected: 'any', events }]);
  for (let number = 0; number < runs; number += 500) {
    const appends = Array.from({ length: 500 }, (_, at) => {
      const run = number + at;
      const id = idOf('fn', run % functions);
      const runId = idOf('run', run);
      const facts = {
        functionName: 'Totals',
        version: 'a1b2c3d4',
        source: 'api',
        starter: { kind: 'webhook', id: 'wh_1' },
      };
      const started = { ...facts, runId, attempt: 1, process: 'process_spec', accepted: false };
      const ended = { runId, attempt: 1, error: null, durationMs: 3, retryAt: null, logs: [] };
      const forgotten = { throughRevision: Math.floor(run / 100), triggers: [] };
      return append(
        'run',
        id,
        event(run, 'RunStarted', started),
        event(run, 'RunEnded', ended),
        ...(run % 1_000 === 999 ? [event(run, 'RunsForgotten', forgotten)] : []),
      );
    });
    await Promise.all(appends);
  }
  await store.close();
}

let directory: EmbeddedDirectory;
beforeEach(async () => {
  directory = new EmbeddedDirectory();
  const service = await startServiceProcess({ dataDir: directory.path });
  await service.end('SIGTERM');
  await writeHistory(directory.path);
});
afterEach(() => directory.remove());

/** Queries the read models' file as it is. Returns nothing if it does not exist yet. */
function look(sql: string, path = directory.path): readonly Record<string, unknown>[] {
  try {
    const database = new DatabaseSync(`${path}/read.db`, { readOnly: true });
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  } catch {
    return [];
  }
}

const indexesIn = (path = directory.path) =>
  look("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name", path).map(({ name }) =>
    String(name),
  );
const reached = (position: number) => () =>
  look('SELECT 1 FROM builds WHERE active = 0').length > 0 &&
  Number(look("SELECT checkpoint FROM builds WHERE projection = 'runs'")[0]?.['checkpoint'] ?? -1) > position;
const indexesOfRuns = () => indexesIn().filter((name) => name.startsWith('runs@'));
const moments = {
  'as it begins': reached(0),
  'in the middle': reached(runs),
  'while the first index is made': reached(runs * 2),
  'when some indexes are made': () => reached(runs * 2)() && indexesOfRuns().length > 2,
};

it('a service killed while it builds its read models makes them as if it had never been killed', async () => {
  const killed: string[] = [];
  for (const isAnew of [true, false, false]) {
    for (const [moment, has] of Object.entries(moments)) {
      if (isAnew || moment === 'as it begins')
        for (const end of ['', '-wal', '-shm']) rmSync(directory.file(`read.db${end}`), { force: true });
      const { child, exited } = spawnService({ dataDir: directory.path });
      let isOver = false;
      exited.then(() => {
        isOver = true;
      });
      while (!has() && !isOver) await sleep(3);
      await randomMoment(0, 30);
      child.kill('SIGKILL');
      expect((await exited).signal).toBe('SIGKILL');
      if (look("SELECT 1 FROM builds WHERE projection = 'runs' AND active = 1").length === 0) killed.push(moment);
    }
  }
  // A build may be complete before the kill, so not every round counts.
  expect(killed.length).toBeGreaterThan(6);
  const service = await startServiceProcess({ dataDir: directory.path });
  await service.end('SIGTERM');
  await expectAsLive();
}, 300_000);

/** Compares with builds that had all indexes from the beginning. */
async function expectAsLive(): Promise<void> {
  const own = new EmbeddedDirectory();
  const log = new EmbeddedEventStore({ directory: directory.path });
  const store = new EmbeddedReadStore({ directory: directory.path });
  const live = new EmbeddedReadStore({ directory: own.path });
  const different: string[] = [];
  // Projections that open personal data are left out, because they need the vault's keys.
  for (const projection of projections.filter(({ opens }) => opens === undefined)) {
    const build: Build = { projection: projection.name, generation: firstGeneration(projection) };
    const feed = new ProjectionFeed([{ projection, build }], build, log, live);
    await feed.prepare();
    await catchUp(log, live, [feed], await store.checkpoint(build));
    expect([projection.name, await store.active(projection.name)]).toEqual([projection.name, build.generation]);
    const digests = await Promise.all([store, live].map((one) => one.digest(build, projection.collections)));
    if (digests[0] !== digests[1]) different.push(projection.name);
  }
  expect(different).toEqual([]);
  const made = indexesIn(own.path);
  expect(indexesIn().filter((name) => made.includes(name))).toEqual(made);
  await Promise.all([log.close(), store.close(), live.close()]);
  own.remove();
}
