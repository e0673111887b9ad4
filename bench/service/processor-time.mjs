// Processor time of operations: of the main thread, of the service with its threads, and of its sandbox processes.
// BENCH_AGAINST=<built checkout> measures that checkout as well, in alternating rounds, so that a busy machine slows
// down both.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownerKey } from '../../test/support/service-process.ts';
import { median, round } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, scratch, startService } from '../support/servers.mjs';
import { table, whole } from '../support/table.mjs';
import { body as functionBody } from './commands.mjs';
import { order, summingWebhook } from './webhooks.mjs';

const other = process.env['BENCH_AGAINST'];
const members = scaled(420, 3);
const fanOut = scaled(500, 5);
const asOwner = { authorization: `Bearer ${ownerKey}` };

const parts = {
  'webhook with its run': {
    amount: 2_000,
    rounds: scaled(5),
    prepare: async (service) => ({ path: (await summingWebhook(service)).path, body: order }),
  },
  createFunction: { amount: 3_000, rounds: scaled(5), path: '/api/v1/automations/createFunction', body: functionBody },
  'createRow by an agent, past the gate': { amount: 3_000, rounds: scaled(5), prepare: agent },
  getWorkspace: { amount: 5_000, rounds: scaled(3), path: '/api/v1/workspace/getWorkspace' },
  'listRows of 20': { amount: 3_000, rounds: scaled(5), prepare: addRows },
  "a visitor's call (auth/logout without a pass)": { amount: 5_000, rounds: scaled(9), prepare: visitedSite },
  [`listMembers of ${members}`]: { amount: 500, rounds: scaled(3), prepare: addMembers },
  [`raise with ${fanOut} runs`]: { amount: 1, rounds: scaled(7), prepare: addTriggers, load: raised },
};

export async function processorTime({ only = process.env['BENCH_ONLY'] } = {}) {
  const mains = [...(other === undefined ? [] : [join(other, 'dist/src/main.js')]), undefined];
  const rows = [['processor time, µs each', ...mains.flatMap(() => ['main thread', 'service', 'sandbox'])]];
  for (const [name, part] of Object.entries(parts)) {
    if (only === undefined || name.startsWith(only)) rows.push([name, ...(await measured(part, mains))]);
  }
  if (only === undefined || only === 'start') rows.push(['start', ...(await starts(mains))]);
  table(other === undefined ? 'processor time' : `processor time: ${other}, and this`, rows);
}

async function measured(part, mains) {
  const services = await Promise.all(mains.map((main) => startService({ main })));
  try {
    const requests = [];
    for (const service of services) requests.push((await part.prepare?.(service)) ?? part);
    const used = services.map(() => []);
    for (let turn = 0; turn <= part.rounds; turn += 1) {
      for (const [at, service] of services.entries()) {
        const before = used3(service.pid);
        await (part.load ?? loaded)(service, part, requests[at], turn);
        const after = used3(service.pid);
        // The first round only warms up.
        if (turn > 0) used[at].push(after.map((value, index) => ((value - before[index]) * 10_000) / part.amount));
      }
    }
    return used.flatMap((rounds) => [0, 1, 2].map((index) => whole(median(rounds.map((one) => one[index])))));
  } finally {
    await Promise.all(services.map((service) => service.stop()));
  }
}

async function loaded(server, { amount }, { path, body = {}, headers = asOwner }) {
  const { failed } = await round({ server, path, body, headers, connections: 32, amount });
  if (failed > 0) throw new Error(`${failed} failed`);
}

async function starts(mains) {
  const used = mains.map(() => []);
  for (let turn = 0; turn < scaled(5); turn += 1) {
    for (const [at, main] of mains.entries()) {
      const directory = scratch();
      const service = await startService({ dataDir: directory, main });
      used[at].push(used3(service.pid));
      await service.stop();
      discard(directory);
    }
  }
  return used.flatMap((rounds) => [0, 1, 2].map((index) => whole(10_000 * median(rounds.map((one) => one[index])))));
}

/** The agent's command needs no approval, so both checkouts do the same. */
async function agent(service) {
  const { id: agentId } = await service.call('workspace/addAgent', { name: 'Scout' });
  const { key } = await service.call('workspace/createApiKey', { name: 'bench', kind: 'agent', agentId });
  const { id: baseId } = await service.call('bases/createBase', { name: 'Notes' });
  const fields = [{ name: 'text', type: 'text' }];
  const { id: tableId } = await service.call('bases/createTable', { baseId, name: 'Notes', fields });
  const body = { tableId, values: { text: 'Seen.' } };
  return { path: '/api/v1/bases/createRow', body, headers: { authorization: `Bearer ${key}` } };
}

async function visitedSite(service) {
  const { id } = await service.call('site/createProject', { name: 'Visited' });
  return { path: `/api/app/${id}/auth/logout` };
}

async function addRows(service) {
  const { id: baseId } = await service.call('bases/createBase', { name: 'Rows' });
  const fields = [{ name: 'text', type: 'text' }];
  const { id: tableId } = await service.call('bases/createTable', { baseId, name: 'Rows', fields });
  const rows = Array.from({ length: 20 }, (_, n) => ({ text: `Row ${n}` }));
  await service.call('bases/createRows', { tableId, rows });
  return { path: '/api/v1/bases/listRows', body: { tableId } };
}

async function addMembers(service) {
  for (let n = 1; n < members; n += 1) {
    await service.call('workspace/addMember', { name: `Member ${n}`, email: `member${n}@example.com`, role: 'viewer' });
  }
  return { path: '/api/v1/workspace/listMembers' };
}

async function addTriggers(service) {
  const { id } = await service.call('automations/createFunction', { name: 'Target', code: 'return 1;' });
  await service.call('automations/updateFunction', { id, isActive: true });
  const added = { event: 'custom.big', targetKind: 'account_function', targetRef: id };
  for (let n = 0; n < fanOut; n += 1) await service.call('accountEvents/addEventTrigger', added);
}

async function raised(service, _part, _request, turn) {
  await service.call('accountEvents/raise', { name: 'big', properties: { turn } });
  for (let over = 0; over < fanOut; ) {
    await new Promise((resolve) => setTimeout(resolve, scaled(1_000, 50)));
    over = 0;
    for (let before; over < fanOut; ) {
      const page = { limit: Math.min(100, fanOut - over), ...(before === undefined ? {} : { before }) };
      const runs = await service.call('accountEvents/eventTriggerRuns', page);
      const ended = runs.every((run) => run.event.properties.turn === turn && run.status !== 'queued');
      if (!ended || runs.length === 0) break;
      over += runs.length;
      before = runs.at(-1).id;
    }
  }
}

/** Hundredths of a second of the main thread, of the whole process and of its children. */
function used3(pid) {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(`/proc/${name}/stat`))
    .filter((one) => one?.parent === pid);
  const service = statOf(`/proc/${pid}/stat`);
  const sum = children.reduce((total, { used }) => total + used, service.ofEndedChildren);
  return [statOf(`/proc/${pid}/task/${pid}/stat`).used, service.used, sum];
}

function statOf(file) {
  try {
    const text = readFileSync(file, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15).map(Number);
    return { parent: Number(fields[1]), used: user + system, ofEndedChildren: childrenUser + childrenSystem };
  } catch {
    return undefined;
  }
}
