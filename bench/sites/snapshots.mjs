// Snapshots of a project with many changes: pages of their list, the content at one of them, and a restore. The floor
// of the list is a project with few changes in the same log.
import { randomUUID } from 'node:crypto';
import { EmbeddedEventStore } from '../../dist/src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { median } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, scratch, startService } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';

const pages = scaled(1_000, 20);
const repeats = scaled(21);
const actor = { kind: 'person', id: 'mem_01k9xw2m7c5f8q3r6t9v2y4a7b', name: 'Owner' };
const begin = Date.parse('2026-01-01T00:00:00.000Z');
const contentOf = (page, edit) => `export default function Page${page}() { return <p>${edit}</p>; }\n`.repeat(20);

/** @param edits - number of versions of each of the 1,000 pages, including the first */
export async function snapshots({ edits = scaled(50, 11) } = {}) {
  const dataDir = scratch();
  try {
    const projects = await writeProjects(dataDir, edits);
    const service = await startService({ dataDir });
    await measure(service, projects, edits);
    await service.stop();
  } finally {
    discard(dataDir);
  }
}

async function writeProjects(directory, edits) {
  const service = await startService({ dataDir: directory });
  const { id: workspaceId } = await service.call('workspace/getWorkspace', {});
  const large = (await service.call('site/createProject', { name: 'Large' })).id;
  const small = (await service.call('site/createProject', { name: 'Small' })).id;
  await service.stop();
  const store = new EmbeddedEventStore({ directory });
  const page = (number) => `page_${String(number).padStart(26, '0')}`;
  const events = (projectId, first, count, times) =>
    Array.from({ length: count * times }, (_, at) =>
      pageEvent(workspaceId, projectId, page(first + (at % count)), at % count, Math.floor(at / count)),
    );
  for (const list of [events(large, 0, pages, edits), events(small, pages, 10, 10)]) {
    for (let from = 0; from < list.length; from += 500) await store.append(list.slice(from, from + 500));
  }
  await store.close();
  return { large, small };
}

function pageEvent(workspaceId, projectId, id, number, edit) {
  const commandId = randomUUID();
  const operation = edit === 0 ? 'site/createPage' : 'site/updatePage';
  const at = new Date(begin + edit * 1_000_000 + number).toISOString();
  const metadata = { workspaceId, actor, correlationId: commandId, causationId: null, commandId, operation, at };
  const none = { title: null, description: null, layout: null, requiredRole: null, redirectIfUnauth: null };
  const flags = { isHomePage: false, isProtected: false, isDraft: false, sortOrder: number, active: true };
  const facts = { name: `Page ${number}`, path: `/page-${number}`, ...none, ...flags };
  const changed = { projectId, content: contentOf(number, edit), message: `Edit ${edit}` };
  const event =
    edit === 0 ? { type: 'PageCreated', data: { ...facts, ...changed } } : { type: 'PageUpdated', data: changed };
  return {
    stream: `page-${workspaceId}.${id}`,
    expected: 'any',
    events: [{ id: randomUUID(), ...event, metadata }],
  };
}

async function measure(service, { large, small }, edits) {
  const list = (projectId, cursor) => service.call('site/listSnapshots', { projectId, ...(cursor ? { cursor } : {}) });
  const first = await list(large);
  const cursorAt = async (share) => {
    let { nextCursor } = first;
    const steps = Math.floor((pages * edits * share) / 200);
    for (let n = 0; n < steps && nextCursor !== null; n += 1) {
      const next = await service.call('site/listSnapshots', { projectId: large, limit: 200, cursor: nextCursor });
      nextCursor = next.nextCursor ?? nextCursor;
    }
    return nextCursor;
  };
  const [middle, end] = [await cursorAt(0.5), await cursorAt(0.99)];
  const wanted = {
    'the list of a project with 100 changes, first 50': () => list(small),
    [`of one with ${pages * edits}, first 50`]: () => list(large),
    'from the middle': () => list(large, middle),
    'near the end': () => list(large, end),
  };
  const times = await interleaved(wanted);
  const [floor] = Object.values(times).map(median);
  const rows = [['', 'p50, ms', 'slowest, ms', 'of the first']];
  for (const [name, took] of Object.entries(times)) {
    rows.push([name, ms(median(took)), ms(Math.max(...took)), ratio(median(took) / floor)]);
  }
  table('snapshots: pages of their list', rows);

  const old = (await list(large, middle)).snapshots[0];
  const content = (snapshotId) => contentOfAll(service, large, snapshotId);
  const began = performance.now();
  await service.call('site/restoreSnapshot', { projectId: large, snapshotId: old.id });
  const restored = performance.now() - began;
  const [now] = (await list(large)).snapshots;
  const both = await interleaved({ newest: () => content(now.id), old: () => content(old.id) }, 5);
  table(`snapshots: a project of ${pages} pages with ${edits} changes each`, [
    ['', 'ms'],
    ['content at the newest, read from documents', whole(median(both.newest))],
    [`content at number ${old.number}, folded from the log`, whole(median(both.old))],
    [`restoring that, ${now.changedFiles.length} pages`, whole(restored)],
  ]);
}

async function contentOfAll(service, projectId, snapshotId) {
  for (let cursor; cursor !== null; ) {
    ({ nextCursor: cursor } = await service.call('site/getSnapshotContent', {
      projectId,
      snapshotId,
      ...(cursor === undefined ? {} : { cursor }),
    }));
  }
}

async function interleaved(wanted, times = repeats) {
  const took = Object.fromEntries(Object.keys(wanted).map((name) => [name, []]));
  for (let n = 0; n < times; n += 1) {
    for (const [name, call] of Object.entries(wanted)) {
      const began = performance.now();
      await call();
      took[name].push(performance.now() - began);
    }
  }
  return took;
}
