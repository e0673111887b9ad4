// Pages of audit/listEvents over a million events, with each filter alone and with all together: the first page, a
// middle one and the last. The audit's index is written directly to the read store, without the data of the events.

import { auditProjection } from '../../dist/projections/audit/audit.projection.js';
import { EmbeddedReadStore } from '../../dist/src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import '../../dist/src/areas/areas.module.js';
import { EventList } from '../../dist/src/areas/audit/reading/event-list.js';
import { UndoneEvents } from '../../dist/src/areas/audit/reading/undone-events.js';
import { Reads } from '../../dist/src/engine/scopes/reads.js';
import { RecordScopes } from '../../dist/src/engine/scopes/record-scopes.js';
import { recordKind } from '../../dist/src/kernel/record/record.js';
import { median } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, scratch } from '../support/servers.mjs';
import { ms, table, whole } from '../support/table.mjs';

const rareKinds = ['function', 'webhook', 'schedule', 'member', 'page', 'base', 'table'];
const rowTypes = recordKind('row').types;
const events = Number(process.env['BENCH_EVENTS'] ?? scaled(1_000_000, 5_000));
const rounds = scaled(5);
const members = ['workspace.read', 'functions.read', 'functions.edit', 'site.read', 'site.users'];
const batch = 5_000;
const build = { projection: 'audit', generation: 'bench' };
const workspaceId = 'ws_01k9xw2m7c5f8q3r6t9v2y4a7b';
const begin = Date.parse('2026-01-01T00:00:00.000Z');
const idOf = (prefix, number) => `${prefix}_${String(number).padStart(26, '0')}`;
const timeOf = (number) => new Date(begin + number * 5_000).toISOString();
const hash = (number) => Math.imul(number + 1, 0x9e3779b1) >>> 8;

/**
 * Nine of ten events are by one actor and of one kind. Some events are of the kind `auditReading`, and the last two
 * percent are of that kind only.
 */
function eventAt(number) {
  const mixed = hash(number);
  const isReading = number >= events * 0.98 || mixed % 20 === 0;
  const kind = isReading ? 'auditReading' : mixed % 10 < 9 ? 'row' : rareKinds[mixed % rareKinds.length];
  const types = recordKind(kind)?.types ?? ['AuditRead'];
  const type = types[mixed % 5 === 0 ? mixed % types.length : 0];
  const actor = mixed % 10 < 9 && number > events / 2 ? idOf('mem', 0) : idOf('mem', 1 + (mixed % 50));
  // One resource has ten thousand events, the others have a few each.
  const id = number % 100 === 7 ? idOf('row', 0) : idOf(kind, mixed % 200_000);
  return {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    stream: `${kind}-${workspaceId}.${id}`,
    revision: 0,
    position: number * 3,
    type,
    data: {},
    metadata: {
      workspaceId,
      actor: { kind: 'person', id: actor, name: 'Somebody' },
      correlationId: `c${number}`,
      causationId: number % 100 === 50 ? `e${number - 1}` : null,
      commandId: `c${number}`,
      operation: 'area/command',
      at: timeOf(number),
    },
  };
}

async function fill(store) {
  await store.prepare(build, auditProjection.collections);
  const began = performance.now();
  for (let from = 0; from < events; from += batch) {
    const writes = new Map();
    for (let at = from; at < from + batch; at += 1) {
      const event = eventAt(at);
      for (const change of auditProjection.changes(event)) {
        const key = `${change.collection} ${change.id}`;
        const held = writes.get(key)?.document ?? (await heldOf(store, change));
        const document = change.kind === 'put' ? change.document : change.step(held);
        writes.set(key, { kind: 'put', collection: change.collection, document, position: event.position });
      }
    }
    await store.commit(build, from === 0 ? -1 : from, from + batch, [...writes.values()]);
  }
  await store.activate(build, auditProjection.collections);
  return (performance.now() - began) / 1_000;
}

async function heldOf(store, { kind, collection, id }) {
  if (kind === 'put') return undefined;
  return (await store.load(build, collection, [id])).get(id)?.document;
}

const early = { from: timeOf(events * 0.01), to: timeOf(events * 0.02) };
const late = { from: timeOf(events * 0.97) };
const wide = { from: timeOf(events * 0.01), to: timeOf(events * 0.5) };
const common = { kind: 'row' };
const filters = {
  none: {},
  'kind, of nine in ten': common,
  'kind, of few': { kind: 'webhook' },
  'readings of the audit': { kind: 'auditReading' },
  'actor, of half; of one in fifty': { actorId: idOf('mem', 0) },
  'actor of few': { actorId: idOf('mem', 3) },
  'type, of most': { types: [rowTypes[0]] },
  'types, of few': { types: ['FunctionCreated', 'FunctionDeleted'] },
  'a type that never was': { types: ['Nothing'] },
  'fifty types': { types: [...rowTypes, ...Array.from({ length: 50 - rowTypes.length }, (_, at) => `Nothing${at}`)] },
  'resource of 10,000 events': { id: idOf('row', 0) },
  'kind and resource': { kind: 'row', id: idOf('row', 0) },
  'times, long ago': early,
  'times, lately': late,
  'times, of half': wide,
  'times, none': { to: timeOf(-10) },
  'kind and times': { ...common, ...early },
  'actor and times': { actorId: idOf('mem', 3), ...early },
  'actor and times, none': { actorId: idOf('mem', 0), ...early },
  'type and times': { types: [rowTypes[1]], ...early },
  'kind and actor': { ...common, actorId: idOf('mem', 3) },
  'kind and type, none': { kind: 'row', types: ['FunctionCreated'] },
  'type and actor': { types: [rowTypes[0]], actorId: idOf('mem', 3) },
  'type and actor, none': { types: [rowTypes[0]], actorId: 'nobody' },
  all: { kind: 'row', types: [rowTypes[0]], actorId: idOf('mem', 3), id: idOf('row', 0), ...wide },
};

export async function timeline() {
  const directory = scratch();
  const store = new EmbeddedReadStore({ directory });
  try {
    const seconds = await fill(store);
    const rows = [['p50 ms (worst)', 'first', 'middle', 'last', 'as a member']];
    for (const [name, filter] of Object.entries(filters)) {
      const cells = [];
      for (const place of [undefined, events * 1.5, 300]) cells.push(await timed(store, { ...filter, before: place }));
      cells.push(await timed(store, filter, members));
      rows.push([name, ...cells]);
    }
    table(`audit/listEvents over ${whole(events)} events, written in ${whole(seconds)} s`, rows);
  } finally {
    await store.close();
    discard(directory);
  }
}

async function timed(store, filter, permissions = ['audit.read']) {
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
    // Each round uses another limit, so that no answer comes from the store's cache.
    const call = { workspaceId, caller: { permissions: new Set(permissions) } };
    const began = performance.now();
    await listOn(store).page(call, { ...given, limit: 50 - round });
    times.push(performance.now() - began);
  }
  return `${ms(median(times))} (${ms(Math.max(...times))})`;
}

/** The caller may see every record. No `auditReading` events are recorded. */
function listOn(store) {
  const reads = new Reads(store, undefined);
  const log = { readStream: async () => [] };
  const reading = { record: async () => undefined };
  return new EventList(reads, log, reading, new RecordScopes(log, reads, undefined), new UndoneEvents(reads));
}
