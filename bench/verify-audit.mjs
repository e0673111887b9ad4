// audit:verify of an exported file and of a store's log, against one SHA-256 of the same file's bytes.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { textLines } from '../dist/src/cli/text-lines.js';
import { beginningOf, chainedText } from '../dist/src/kernel/audit-chain/chain.js';
import { checkExport } from '../dist/src/kernel/audit-chain/export-check.js';
import { ExportLines } from '../dist/src/kernel/audit-chain/export-lines.js';
import { signingKeyOf } from '../dist/src/kernel/audit-chain/signed-head.js';
import { median } from './load.mjs';
import { discard, scratch } from './servers.mjs';
import { ratio, table, whole } from './table.mjs';

const events = Number(process.env['BENCH_EVENTS'] ?? 300_000);
const rounds = 5;
const workspaceId = 'ws_01k9xw2m7c5f8q3r6t9v2y4a7b';
const begin = Date.parse('2026-01-01T00:00:00.000Z');

export async function verifyAudit() {
  const directory = scratch();
  const path = join(directory, 'audit.ndjson');
  try {
    const began = performance.now();
    await pipeline(Readable.from(batches()), createWriteStream(path));
    const written = performance.now() - began;
    const bytes = statSync(path).size;
    const took = { verify: [], floor: [] };
    for (let round = 0; round < rounds; round += 1) {
      took.verify.push(await timed(() => verified(path)));
      took.floor.push(await timed(() => hashed(path)));
    }
    const perSecond = (milliseconds) => (events * 1_000) / milliseconds;
    const rows = [['', 'events per s', 'MB per s', 'of the floor']];
    for (const [name, time] of [
      ['lines written, hashed and signed', written],
      ['audit:verify FILE', median(took.verify)],
      ['floor: sha256 of the bytes', median(took.floor)],
    ]) {
      rows.push([name, whole(perSecond(time)), whole(bytes / time / 1_000), ratio(median(took.floor) / time)]);
    }
    table(`an audit of ${whole(events)} events, ${whole(bytes / events)} bytes each`, rows);
  } finally {
    discard(directory);
  }
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function verified(path) {
  const file = await open(path);
  try {
    const { problem } = await checkExport(textLines(file));
    if (problem !== undefined) throw new Error(problem);
  } finally {
    await file.close();
  }
}

async function hashed(path) {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest('hex');
}

function* batches() {
  const start = beginningOf(workspaceId);
  const lines = new ExportLines({ workspaceId, from: null, to: null, start }, signingKeyOf(Buffer.alloc(32, 1)));
  yield `${lines.first()}\n`;
  for (let from = 0; from < events; from += 1_000) {
    let text = '';
    for (let at = from; at < Math.min(from + 1_000, events); at += 1)
      text += `${lines.event(chainedText(eventAt(at)))}\n`;
    yield text;
  }
  yield `${lines.last(['function'], new Date(begin).toISOString())}\n`;
}

/** As the log has them: members in the order in which the service writes them. */
function eventAt(number) {
  const commandId = randomUUID();
  const fn = `fn_${String(number % 500).padStart(26, '0')}`;
  return {
    stream: `function-${workspaceId}.${fn}`,
    revision: Math.floor(number / 500),
    id: randomUUID(),
    type: number % 3 === 0 ? 'FunctionDefinitionChanged' : 'FunctionDetailsChanged',
    data:
      number % 3 === 0 ? { code: `let total = 0;\nfor (const n of params.items) total += n;` } : { name: `n${number}` },
    metadata: {
      workspaceId,
      actor: { kind: 'person', id: 'mem_01k9xw2m7c5f8q3r6t9v2y4a7b', name: 'Zoë' },
      correlationId: commandId,
      causationId: null,
      commandId,
      operation: 'automations/updateFunction',
      at: new Date(begin + number * 50).toISOString(),
    },
  };
}
