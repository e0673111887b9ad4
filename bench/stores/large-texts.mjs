// Large texts recorded by digest: many saves of one large text, and a rebuild of read models from a log that refers to
// many texts. Compared with a log that contains every text itself, with fewer saves.
import { randomBytes, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { projections } from '../../dist/projections/projections.js';
import { EmbeddedEventStore } from '../../dist/src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { EmbeddedReadStore } from '../../dist/src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { EmbeddedTexts } from '../../dist/src/adapters/texts/embedded/embedded-texts.adapter.js';
import { accountFunctions } from '../../dist/src/areas/functions/function/function.record.js';
import { AggregateLoader } from '../../dist/src/engine/commands/aggregate-loader.js';
import { RecordTexts } from '../../dist/src/engine/commands/record-texts.js';
import { ReadModels } from '../../dist/src/engine/read-models/read-models.js';
import { ReadYourWrites } from '../../dist/src/engine/read-models/read-your-writes.js';
import { maintenanceOf } from '../support/history.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, scratch } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';

const workspaceId = 'ws_01k9xw2m7c5f8q3r6t9v2y4a7b';
const actor = { kind: 'person', id: 'mem_01k9xw2m7c5f8q3r6t9v2y4a7b', name: 'Owner' };
const at = '2026-01-01T00:00:00.000Z';
const saves = Number(process.env['BENCH_SAVES'] ?? scaled(10_000, 30));
const savesInline = Math.min(saves, 1_000);
const records = scaled(1_000, 3);
const edits = scaled(20, 2);
const MB = 1024 * 1024;

export async function largeTexts() {
  await manySaves();
  await manyRecords();
}

export async function manySaves() {
  const rows = [['one function of 200 KB, saved again and again', 'by digest', 'in the events']];
  const byDigest = await saved(saves, true);
  const inline = await saved(savesInline, false);
  const both = (name, of) => rows.push([name, of(byDigest), of(inline)]);
  both('saves', ({ count }) => whole(count));
  both('log, MB', ({ log }) => ms(log / MB));
  both('texts, MB', ({ texts }) => ms(texts / MB));
  both('bytes a save', ({ log, texts, count }) => whole((log + texts) / count));
  both('a save, ms', ({ took, count }) => ms(took / count));
  both('loading it cold for a change, with its text, ms', ({ cold }) => ms(cold));
  both('heap kept by 1,000 last events, MB', ({ heap }) => ms(heap / MB));
  table('large texts: many saves', rows);
}

async function saved(count, byDigest) {
  const directory = scratch();
  let [log, texts] = [new EmbeddedEventStore({ directory }), new EmbeddedTexts({ directory })];
  const store = new EmbeddedReadStore({ directory });
  try {
    let text = textOf(200_000);
    let state;
    const began = performance.now();
    for (let number = 0; number < count; number += 1) {
      text = edited(text, number);
      const event = number === 0 ? created(text) : { type: 'FunctionDefinitionChanged', data: saveOf(text, number) };
      const [recordable] = byDigest
        ? await new RecordTexts(texts).recordable(accountFunctions, workspaceId, [event], state)
        : [event];
      state = recordable.data;
      await log.append([
        { stream: streamOf(0), expected: number === 0 ? 'none' : number - 1, events: [full(recordable)] },
      ]);
    }
    const took = performance.now() - began;
    await maintenanceOf(log, store).rebuild(projections);
    await Promise.all([log.close(), texts.close()]);
    [log, texts] = [new EmbeddedEventStore({ directory }), new EmbeddedTexts({ directory })];
    const cold = await loadedCold(log, store, texts, text);
    const heap = await heapOf(() => log.readStream(streamOf(0), { direction: 'backward', limit: 1_000 }));
    return { count, took, cold, heap, log: sizeOf(directory, 'events.db'), texts: sizeOf(directory, 'texts.db') };
  } finally {
    await Promise.all([log.close(), texts.close(), store.close()]);
    discard(directory);
  }
}

/** Loads the function as the first change after a start does, with empty caches. */
async function loadedCold(log, store, texts, expected) {
  const models = new ReadModels(projections);
  const readYourWrites = new ReadYourWrites({ now: Date.now }, models, {});
  const loader = new AggregateLoader(log, store, models, readYourWrites);
  const began = performance.now();
  const { state } = await loader.load(accountFunctions, streamOf(0));
  const read = await new RecordTexts(texts).readAll(accountFunctions, workspaceId, state);
  const is = read(state.code) === expected;
  const took = performance.now() - began;
  if (!is) throw new Error('The function does not have the text that was saved last.');
  return took;
}

async function heapOf(work) {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const held = await work();
  globalThis.gc?.();
  const after = process.memoryUsage().heapUsed;
  return held.length > 0 ? after - before : 0;
}

export async function manyRecords() {
  const directory = scratch();
  const [log, texts] = [new EmbeddedEventStore({ directory }), new EmbeddedTexts({ directory })];
  const store = new EmbeddedReadStore({ directory });
  try {
    const recordTexts = new RecordTexts(texts);
    const began = performance.now();
    const of50 = Array.from({ length: records }, () => ({ text: textOf(50_000), state: undefined }));
    for (let edit = 0; edit < edits; edit += 1) {
      for (let from = 0; from < records; from += 100) {
        await Promise.all(
          of50.slice(from, from + 100).map(async (one, index) => {
            one.text = edited(one.text, edit);
            const data =
              edit === 0 ? created(one.text) : { type: 'FunctionDefinitionChanged', data: saveOf(one.text, edit) };
            const [event] = await recordTexts.recordable(accountFunctions, workspaceId, [data], one.state);
            one.state = event.data;
            const expected = edit === 0 ? 'none' : edit - 1;
            await log.append([{ stream: streamOf(from + index), expected, events: [full(event)] }]);
          }),
        );
      }
    }
    const wrote = performance.now() - began;
    const scan = await timed(() => readThrough(log));
    const rebuilt = await timed(() => maintenanceOf(log, store).rebuild(projections));
    table(`large texts: ${records} records of 50 KB, ${edits} edits each (rebuilt in at most 10 s)`, [
      ['', ''],
      ['texts as they were sent, MB', ms((records * edits * 50_000) / MB)],
      ['log, MB', ms(sizeOf(directory, 'events.db') / MB)],
      ['texts as they are stored, MB', ms(sizeOf(directory, 'texts.db') / MB)],
      ['written, s', ms(wrote / 1_000)],
      ['every read model rebuilt, s', ms(rebuilt / 1_000)],
      ['floor: reading the log once, s', ms(scan / 1_000)],
      ['ratio', ratio(scan / rebuilt)],
    ]);
  } finally {
    await Promise.all([log.close(), texts.close(), store.close()]);
    discard(directory);
  }
}

const streamOf = (number) => `function-${workspaceId}.fn_${String(number).padStart(26, '0')}`;
const saveOf = (code, number) => ({ code, versionId: `ver_${number}`, linesChanged: 1 });

const created = (code) => ({
  type: 'FunctionCreated',
  data: {
    name: `Large ${randomUUID()}`,
    description: '',
    summary: '',
    exposed: false,
    code,
    grants: { bases: [], databaseIds: [], connections: [], serviceTools: [] },
    accessRules: { execute: null, runBy: null },
    toolSpec: null,
    timeout: 30_000,
    maxRetries: 0,
  },
});

function full({ type, data }) {
  const commandId = randomUUID();
  const about = { correlationId: commandId, causationId: null, commandId, operation: 'automations/updateFunction', at };
  return { id: randomUUID(), type, data, metadata: { workspaceId, actor, ...about } };
}

/** Different lines, like code. Compression reduces the text to about a quarter. */
function textOf(length) {
  const lines = [];
  for (let size = 0; size < length; ) {
    const line = `const value${lines.length} = await ctx.fetch('https://example.org/${randomBytes(5).toString('hex')}');`;
    lines.push(line);
    size += line.length + 1;
  }
  return lines.join('\n').slice(0, length);
}

/** Changes one line in the middle. */
function edited(text, number) {
  const at = (number * 7_919) % (text.length - 200);
  const mark = `/* edit ${number} */`;
  return text.slice(0, at) + mark + text.slice(at + mark.length);
}

function sizeOf(directory, name) {
  return ['', '-wal'].reduce((sum, more) => {
    const found = statSync(join(directory, name + more), { throwIfNoEntry: false });
    return sum + (found?.size ?? 0);
  }, 0);
}

async function readThrough(log) {
  for (let from = -1; ; ) {
    const page = await log.readAll({ from, limit: 2_000 });
    if (page.length === 0) return;
    from = page.at(-1).position;
  }
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
