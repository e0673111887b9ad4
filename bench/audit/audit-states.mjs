// Past states of a function with 10,000 events, at random times and positions, compared with reading one event of the
// log with bare SQLite. `first` is the first question about such a function after the service has started.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EmbeddedEventStore } from '../../dist/src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { scaled } from '../support/scale.mjs';
import { discard, scratch, startService } from '../support/servers.mjs';
import { ms, table } from '../support/table.mjs';

const actor = { kind: 'person', id: 'mem_01k9xw2m7c5f8q3r6t9v2y4a7b', name: 'Owner' };
const begin = Date.parse('2026-01-01T00:00:00.000Z');
const first = { grants: { bases: [], databaseIds: [], connections: [], serviceTools: [] }, toolSpec: null };
const created = { ...first, accessRules: { execute: null, runBy: null }, timeout: 30_000, maxRetries: 0 };
const details = { name: 'Order totals', description: 'Adds up what an order costs.', summary: '', exposed: false };

/** @param others - number of functions with as many events, each of which is asked about once */
export async function auditStates({
  events = scaled(10_000, 300),
  others = scaled(12, 2),
  asked = scaled(500, 5),
} = {}) {
  const dataDir = scratch();
  try {
    const ids = await writeFunctions(dataDir, events, others + 1);
    const service = await startService({ dataDir });
    const [id, ...cold] = ids;
    const instant = () => new Date(begin + Math.floor(Math.random() * events) * 1_000).toISOString();
    const stateAt = (of, then) => timed(() => service.call('audit/getStateAt', { kind: 'function', id: of, ...then }));
    const [newest] = await caughtUp(service, ids, events);
    const firsts = [];
    for (const one of cold) firsts.push(await stateAt(one, { at: new Date(begin + events * 1_000).toISOString() }));
    const byInstant = [];
    const byPosition = [];
    for (let n = 0; n < asked; n += 1) byInstant.push(await stateAt(id, { at: instant() }));
    const place = () => ({ position: newest.position - Math.floor(Math.random() * events) });
    for (let n = 0; n < asked; n += 1) byPosition.push(await stateAt(id, place()));
    await service.stop();
    const rows = [['', 'p50 ms', 'p99 ms']];
    rows.push(['by instant', ...both(byInstant)], ['by position', ...both(byPosition)], ['first', ...both(firsts)]);
    rows.push(['floor: one event by SQLite', ...both(bareReads(dataDir, asked))]);
    table(`audit/getStateAt of a function of ${events} events`, rows);
  } finally {
    discard(dataDir);
  }
}

/** Waits until the read models have caught up. Returns the newest event of each function. */
async function caughtUp(service, ids, events) {
  const last = new Date(begin + (events - 1) * 1_000).toISOString();
  for (;;) {
    const newest = [];
    for (const id of ids) newest.push(...(await service.call('audit/listEvents', { id, limit: 1 })).events);
    if (newest.length === ids.length && newest.every(({ at }) => at === last)) return newest;
  }
}

async function writeFunctions(directory, events, count) {
  const service = await startService({ dataDir: directory });
  const { id: workspaceId } = await service.call('workspace/getWorkspace', {});
  await service.stop();
  const store = new EmbeddedEventStore({ directory });
  const ids = Array.from({ length: count }, (_, at) => `fn_${String(at).padStart(26, '0')}`);
  for (const id of ids) {
    const stream = `function-${workspaceId}.${id}`;
    for (let from = 0; from < events; from += 500) {
      const some = Array.from({ length: Math.min(500, events - from) }, (_, at) => eventAt(workspaceId, from + at));
      await store.append([{ stream, expected: 'any', events: some }]);
    }
  }
  await store.close();
  return ids;
}

function eventAt(workspaceId, number) {
  const commandId = randomUUID();
  const at = new Date(begin + number * 1_000).toISOString();
  const operation = number === 0 ? 'automations/createFunction' : 'automations/updateFunction';
  const metadata = { workspaceId, actor, correlationId: commandId, causationId: null, commandId, operation, at };
  const code = `return ${number};`;
  const event =
    number === 0
      ? { type: 'FunctionCreated', data: { ...details, ...created, code } }
      : number % 2 === 0
        ? { type: 'FunctionDetailsChanged', data: { name: `Order totals ${number}` } }
        : { type: 'FunctionDefinitionChanged', data: { code } };
  return { id: randomUUID(), ...event, metadata };
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function bareReads(dataDir, count) {
  const database = new DatabaseSync(join(dataDir, 'events.db'), { readOnly: true });
  const read = database.prepare('SELECT * FROM events WHERE position = ?');
  const times = [];
  for (let n = 0; n < count; n += 1) {
    const began = performance.now();
    read.get(1 + Math.floor(Math.random() * 100_000));
    times.push(performance.now() - began);
  }
  database.close();
  return times;
}

function both(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => ms(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
  return [at(0.5), at(0.99)];
}
