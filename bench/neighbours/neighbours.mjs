// The effect of one workspace on another: the other runs a trivial function again and again, while the first attacks in
// one way after another. Compared with the same runs without attacks, at the beginning and at the end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startServiceProcess } from '../../test/support/service-process.ts';
import { figures } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, flags, newWorkspace, scratch } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';
import { attacks } from './attacks.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const attackMs = scaled(10_000, 100);

/** @param part - the only attack to run, as in `--part 'endless loops'` */
export async function neighbours({ part } = {}) {
  const dataDir = scratch();
  const answers = spawn(process.execPath, [here('answers-server.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const answersUrl = String((await once(answers.stdout, 'data'))[0]).trim();
  await (await startServiceProcess({ dataDir })).end('SIGTERM');
  const victim = { authorization: `Bearer ${newWorkspace(dataDir, 'Neighbour')}` };
  const stallsFile = join(dataDir, 'stalls');
  const service = await startServiceProcess({
    dataDir,
    environment: { EGRESS_ALLOW: '127.0.0.1', STALLS_FILE: stallsFile },
    flags: ['--import', here('stall-watch.mjs'), ...flags],
  });
  const rows = [
    ['', 'runs', 'p50 ms', 'p99 ms', 'worst ms', 'p99 ratio', 'stall ms', 'service MB', 'all MB', 'failed'],
  ];
  try {
    const trivial = await activeFunction(service, 'trivial', 'return 1', victim);
    const scene = { service, victim, stallsFile, trivial };
    await measure(scene, scaled(2_000, 100));
    const floor = await measure(scene, attackMs);
    rows.push(row('nobody else', floor, floor));
    for (const attack of attacks(answersUrl)) {
      if (part === undefined || part === attack.name) rows.push(row(attack.name, await under(attack, scene), floor));
    }
    rows.push(row('nobody else, again', await measure(scene, attackMs), floor));
  } finally {
    answers.kill('SIGKILL');
    await service.end('SIGTERM');
    discard(dataDir);
  }
  table(
    `a neighbour's trivial run, one at a time for ${attackMs / 1_000} s each, by what another workspace does`,
    rows,
  );
}

function row(name, { times, seconds, stall, own, all, failed }, floor) {
  const { count, p50, p99 } = figures(times, seconds);
  const against = ratio(p99 / figures(floor.times, floor.seconds).p99);
  return [name, count, ms(p50), ms(p99), ms(Math.max(...times)), against, whole(stall), whole(own), whole(all), failed];
}

/** Starts the attack a second before the measurement, and waits until it is over. */
async function under({ name, atOnce, code, callee }, scene) {
  const { service } = scene;
  if (callee !== undefined) await activeFunction(service, `callee of ${name}`, callee);
  const attack = code.replace('"callee"', JSON.stringify(`callee of ${name}`));
  const id = await activeFunction(service, name, attack, {});
  let over = false;
  const one = async () => {
    while (!over) await service.call('automations/invokeFunction', { id }).catch(() => sleep(100));
  };
  const attackers = Array.from({ length: scaled(atOnce, 2) }, one);
  await sleep(scaled(1_000));
  const seen = await measure(scene, attackMs);
  over = true;
  await Promise.all(attackers);
  await sleep(scaled(1_000));
  return seen;
}

async function measure({ service, victim, trivial, stallsFile }, forMs) {
  const times = [];
  let failed = 0;
  let [own, all] = [0, 0];
  const began = Date.now();
  const look = setInterval(() => {
    own = Math.max(own, residentMb(service.pid));
    all = Math.max(all, familyMb(service.pid));
  }, 250);
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    const from = performance.now();
    const { status } = await service.call('automations/invokeFunction', { id: trivial }, victim);
    if (status !== 200) failed += 1;
    times.push(performance.now() - from);
  }
  await sleep(scaled(300, 10));
  clearInterval(look);
  const lines = readFileSync(stallsFile, 'utf8').trim().split('\n');
  const stalls = lines.map((line) => line.split(' ').map(Number)).filter(([at]) => at >= began);
  const stall = Math.max(0, ...stalls.map(([, worst]) => worst));
  return { times, seconds: forMs / 1_000, stall, own, all, failed };
}

async function activeFunction(service, name, code, headers = {}) {
  const call = async (operation, input) => {
    const { status, body } = await service.call(`automations/${operation}`, input, headers);
    if (status === 200) return body;
    throw new Error(`${operation} of ${name}: ${JSON.stringify(body)}`);
  };
  const accessRules = { runBy: { pages: false, functions: 'any', agents: [] } };
  const { id } = await call('createFunction', { name, code, accessRules });
  // The timeout ends the attack soon after the victim has been measured.
  const { draft } = await call('updateFunction', { id, isActive: true, timeout: attackMs + scaled(4_000, 900) });
  await call('publishFunction', { id, versionId: draft.versionId });
  return id;
}

function residentMb(pid) {
  try {
    return (Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * 4_096) / 1024 / 1024;
  } catch {
    return 0;
  }
}

/** Memory of the service and its child processes. */
function familyMb(pid) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    try {
      return readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1').trim().split(' ').filter(Boolean);
    } catch {
      return [];
    }
  });
  return [pid, ...children].reduce((sum, one) => sum + residentMb(one), 0);
}
