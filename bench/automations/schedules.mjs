// Ten thousand active schedules: their memory, the time of a start with them, and the delay of each occurrence. First
// they are spread over the minutes of an hour, as people's are. Then all are due at the same instant of every minute.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { EmbeddedEventStore } from '../../dist/src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { scaled } from '../support/scale.mjs';
import { discard, scratch, startService } from '../support/servers.mjs';
import { table, whole } from '../support/table.mjs';

const perAppend = 200;
const minutesWatched = scaled(3, 0);
const spread = (number) => `${number % 60} * * * *`;
const together = () => '* * * * *';

export async function schedules({ count = scaled(10_000, 100) } = {}) {
  const rows = [['', 'start ms', 'MB', 'idle CPU %', 'fired', 'skew p50 s', 'p99 s', 'busy s a minute']];
  const cases = [
    ['no schedules', 0, spread],
    [`${count}, spread over an hour`, count, spread],
    [`${count}, all of them every minute`, count, together],
  ];
  for (const [name, schedules, expressionOf] of scaled(cases, cases.slice(1, 2))) {
    const weighed = await measured(schedules, expressionOf);
    rows.push([name, ...weighed, ...(schedules === 0 ? ['', '', '', ''] : await fired())]);
  }
  table('schedules', rows);
}

let service;
let directory;

async function measured(count, expressionOf) {
  directory = scratch();
  const first = await startService({ dataDir: directory });
  const { id: workspaceId } = await first.call('workspace/getWorkspace');
  const { id: functionId } = await first.call('automations/createFunction', { name: 'scheduled', code: 'return 1' });
  await first.stop();
  if (count > 0) await write(workspaceId, functionId, count, expressionOf);
  // Builds the read models before the start that is measured.
  await (await startService({ dataDir: directory })).stop();
  service = await startService({ dataDir: directory });
  await quiet();
  const before = cpuSeconds(service.pid);
  await setTimeout(scaled(10_000, 100));
  const idle = (cpuSeconds(service.pid) - before) * 10;
  const result = [whole(service.startedInMs), whole(residentMb(service.pid)), idle.toFixed(1)];
  if (count === 0) await end();
  return result;
}

/** The function is inactive, so runs cost little and the measurement shows the scheduler. */
async function fired() {
  const cpu = cpuSeconds(service.pid);
  const before = await buckets();
  const began = Date.now();
  await setTimeout(60_000 * minutesWatched);
  const after = await buckets();
  const counts = after.map(([bound, total], at) => [bound, total - (before[at]?.[1] ?? 0)]);
  const total = counts.at(-1)?.[1] ?? 0;
  const busy = ((cpuSeconds(service.pid) - cpu) * 60_000) / (Date.now() - began);
  const at = (share) => `≤ ${counts.find(([, sum]) => sum >= total * share)?.[0] ?? '?'}`;
  await end();
  return [total, at(0.5), at(0.99), busy.toFixed(1)];
}

async function end() {
  await service.stop();
  discard(directory);
}

async function buckets() {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const found = text.matchAll(/countersign_schedule_skew_seconds_bucket\{le="([^"]+)"\} (\d+)/g);
  return [...found].map(([, bound, total]) => [bound, Number(total)]);
}

/** Waits for the middle of a minute, far from the instants at which schedules are due. */
async function quiet() {
  if (minutesWatched === 0) return;
  const into = Date.now() % 60_000;
  await setTimeout((into < 25_000 ? 25_000 : 85_000) - into);
}

async function write(workspaceId, functionId, count, expressionOf) {
  const store = new EmbeddedEventStore({ directory });
  const at = new Date().toISOString();
  const actor = { kind: 'person', id: 'mem_bench', name: 'Owner' };
  for (let from = 0; from < count; from += perAppend) {
    const requests = Array.from({ length: Math.min(perAppend, count - from) }, (_, index) => {
      const number = from + index;
      const commandId = randomUUID();
      const operation = 'automations/createSchedule';
      const metadata = { workspaceId, actor, correlationId: commandId, causationId: null, commandId, operation, at };
      const target = { targetKind: 'account_function', targetRef: functionId };
      const times = { cronExpression: expressionOf(number), timezone: number % 2 ? 'Europe/Berlin' : 'UTC' };
      const data = { ...target, ...times, overlap: 'allow' };
      const stream = `schedule-${workspaceId}.sch_${String(number).padStart(26, '0')}`;
      return { stream, expected: 'none', events: [{ id: randomUUID(), type: 'ScheduleCreated', data, metadata }] };
    });
    await store.append(requests);
  }
  await store.close();
}

const residentMb = (pid) => (Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * 4096) / 1e6;

/** User and system time of the process's own threads, in seconds. */
function cpuSeconds(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const words = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(words[11]) + Number(words[12])) / 100;
}
