// audit:verify of an exported file and of a store's log, compared with one SHA-256 of the file's bytes.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EmbeddedEventStore } from '../../dist/src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import '../../dist/src/areas/areas.module.js';
import { AuditVerification } from '../../dist/src/areas/audit/seal/audit-verification.api.js';
import { RecordedSeals } from '../../dist/src/areas/audit/seal/recorded-seals.js';
import { Sealing } from '../../dist/src/areas/audit/seal/sealing.js';
import { TrustedHeads } from '../../dist/src/areas/audit/seal/trusted-heads.api.js';
import { textLines } from '../../dist/src/cli/text-lines.js';
import { beginningOf, chainedText } from '../../dist/src/kernel/audit-chain/chain.js';
import { checkExport } from '../../dist/src/kernel/audit-chain/export-check.js';
import { ExportLines } from '../../dist/src/kernel/audit-chain/export-lines.js';
import { signingKeyOf } from '../../dist/src/kernel/audit-chain/signed-head.js';
import { median } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, scratch } from '../support/servers.mjs';
import { ratio, table, whole } from '../support/table.mjs';

const events = Number(process.env['BENCH_EVENTS'] ?? scaled(300_000, 2_000));
const rounds = scaled(5);
const workspaceId = 'ws_01k9xw2m7c5f8q3r6t9v2y4a7b';
const signing = signingKeyOf(Buffer.alloc(32, 1));
const begin = Date.parse('2026-01-01T00:00:00.000Z');

export async function verifyAudit() {
  const directory = scratch();
  const path = join(directory, 'audit.ndjson');
  try {
    const written = await timed(() => pipeline(Readable.from(batches()), createWriteStream(path)));
    const bytes = statSync(path).size;
    const log = new EmbeddedEventStore({ directory });
    await record(log);
    const took = { verify: [], log: [], floor: [] };
    for (let round = 0; round < rounds; round += 1) {
      took.verify.push(await timed(() => verified(path)));
      took.log.push(await timed(() => logVerified(log)));
      took.floor.push(await timed(() => hashed(path)));
    }
    const middle = (name, times) => median(times.map((time) => time[name]));
    const floor = middle('cpu', took.floor);
    const perSecond = (milliseconds) => whole((events * 1_000) / milliseconds);
    const rows = [['', 'events per s', 'MB per s', 'per s of CPU', 'CPU ratio']];
    for (const [name, times] of [
      ['lines written, hashed and signed', [written]],
      ['audit:verify FILE', took.verify],
      ['audit:verify of the log', took.log],
      ['floor: sha256 of the bytes', took.floor],
    ]) {
      const [wall, cpu] = [middle('wall', times), middle('cpu', times)];
      rows.push([name, perSecond(wall), whole(bytes / wall / 1_000), perSecond(cpu), ratio(floor / cpu)]);
    }
    table(`an audit of ${whole(events)} events, ${whole(bytes / events)} bytes each`, rows);
    await log.close();
  } finally {
    discard(directory);
  }
}

/** Appends the same events to a log and seals them. */
async function record(log) {
  for (let from = 0; from < events; from += 1_000) {
    const requests = Array.from({ length: 1_000 }, (_, at) => {
      const { stream, id, type, data, metadata } = eventAt(from + at);
      return { stream, expected: 'any', events: [{ id, type, data, metadata }] };
    });
    await log.append(requests);
  }
  const calls = { once: (workspace, actor, operation) => ({ ...eventAt(0).metadata, workspace, actor, operation }) };
  await new Sealing(log, new RecordedSeals(log), { signing }, calls).sealToTheEnd(workspaceId);
}

async function logVerified(log) {
  const [verdict] = await new AuditVerification(log, { signing }, { now: Date.now }).verify(new TrustedHeads([]));
  if (verdict.problem !== undefined || verdict.count < events) throw new Error(verdict.problem ?? 'not all');
}

/** Measures processor time too, which is more reliable on a machine that others use. */
async function timed(work) {
  const [began, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - began, cpu: (user + system) / 1_000 };
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
  const lines = new ExportLines({ workspaceId, from: null, to: null, start }, signing);
  yield `${lines.first()}\n`;
  for (let from = 0; from < events; from += 1_000) {
    let text = '';
    for (let at = from; at < Math.min(from + 1_000, events); at += 1)
      text += `${lines.event(chainedText(eventAt(at)))}\n`;
    yield text;
  }
  yield `${lines.last(['function'], new Date(begin).toISOString())}\n`;
}

/** An event with its members in the order in which the service writes them. */
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
