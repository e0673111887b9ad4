// The log of a busy workspace, written through the event store: functions that are created, renamed and edited, and
// their runs.
import { randomUUID } from 'node:crypto';
import { EmbeddedEventStore } from '../../dist/src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { ProjectionMaintenance } from '../../dist/src/engine/projections/projection-maintenance.js';

const workspaceId = 'ws_01k9xw2m7c5f8q3r6t9v2y4a7b';
const actor = { kind: 'person', id: 'mem_01k9xw2m7c5f8q3r6t9v2y4a7b', name: 'Owner' };
const starter = { kind: 'webhook', id: 'wh_01k9xw2m7c5f8q3r6t9v2y4a7b' };
const perAppend = 200;
const functions = 500;

const idOf = (prefix, number) => `${prefix}_${String(number).padStart(26, '0')}`;
const begin = Date.parse('2026-01-01T00:00:00.000Z');

/** Maintenance of a log without seals, on stores that are always available. */
export function maintenanceOf(log, store) {
  const personal = { opened: async (_, value) => value };
  const storeRetry = { untilAvailable: (work) => work() };
  return new ProjectionMaintenance(log, store, personal, storeRetry);
}

/** Fills an empty data directory. About six of every hundred events concern functions, the others are runs. */
export async function writeHistory(directory, events) {
  const store = new EmbeddedEventStore({ directory });
  for (let written = 0; written < events; ) {
    const batch = Array.from({ length: Math.min(5_000, events - written) }, (_, at) => eventAt(written + at));
    await Promise.all(chunksByStream(batch).map((requests) => store.append(requests)));
    written += batch.length;
  }
  await store.close();
}

function eventAt(number) {
  const at = new Date(begin + number * 50).toISOString();
  const fn = idOf('fn', number % functions);
  if (number < functions) return about('function', fn, at, 'FunctionCreated', created(number));
  if (number % 33 === 0) return about('function', fn, at, 'FunctionDetailsChanged', { name: `Order totals ${number}` });
  if (number % 33 === 1) return about('function', fn, at, 'FunctionDefinitionChanged', { code: `return ${number};` });
  return runEvent(number, at);
}

/** Consecutive numbers are the start and the end of one run. */
function runEvent(number, at) {
  const run = Math.floor(number / 2);
  const runId = idOf('run', run);
  const fn = idOf('fn', run % functions);
  const facts = { runId, functionName: `Order totals ${run % functions}`, version: 'a1b2c3d4', source: 'api', starter };
  if (number % 2 === 0) {
    return about('run', fn, at, 'RunStarted', { ...facts, attempt: 1, process: 'process_bench', accepted: false });
  }
  return about('run', fn, at, 'RunEnded', { runId, attempt: 1, error: null, durationMs: 3, retryAt: null, logs: [] });
}

const created = (number) => ({
  name: `Order totals ${number}`,
  description: 'Adds up what an order costs, item by item, and says when it is worth a call.',
  summary: '',
  exposed: false,
  code: `let total = 0;\nfor (const item of params.items) total += item.price * item.quantity;\nreturn { total };`,
  grants: { bases: [], databaseIds: [], connections: [], serviceTools: [] },
  accessRules: { execute: null, runBy: null },
  toolSpec: null,
  timeout: 30_000,
  maxRetries: 0,
});

function about(category, id, at, type, data) {
  const commandId = randomUUID();
  const operation = category === 'run' ? 'automations/run' : 'automations/updateFunction';
  const metadata = { workspaceId, actor, correlationId: commandId, causationId: null, commandId, operation, at };
  return { stream: `${category}-${workspaceId}.${id}`, event: { id: randomUUID(), type, data, metadata } };
}

/** Appends with some hundred requests each, in the order of the events. */
function chunksByStream(batch) {
  const requests = batch.map(({ stream, event }) => ({ stream, expected: 'any', events: [event] }));
  return Array.from({ length: Math.ceil(requests.length / perAppend) }, (_, at) =>
    requests.slice(at * perAppend, (at + 1) * perAppend),
  );
}
