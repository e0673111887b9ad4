// Runs of many functions in two workspaces, accepted by webhooks and handed over Kafka, first to one runner process and
// then to two.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ownerKey } from '../../test/support/service-process.ts';
import { figures } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';
import { startFleet, unique } from './fleet.mjs';
import { accept, allEnded, call, executionsOf, judged, runsOf, warmUp, webhookOf } from './scenes.mjs';

const cli = fileURLToPath(new URL('../../dist/src/cli.js', import.meta.url));
const connections = 16;
const head = [
  '',
  'runs per s',
  'accepted per s',
  'accept to end p50 s',
  'p99 s',
  'lost',
  'uncalled for',
  'failed',
  'made again',
  'executions',
  'by each runner',
  'of one runner',
];

export async function fanOut({ amount = scaled(10_000, 32), functions = scaled(50, 16) } = {}) {
  const rows = [head];
  let alone;
  for (const runners of [1, 2]) {
    const result = await withRunners(runners, amount, functions);
    alone ??= result.perSecond;
    const name = `${runners} runner process${runners === 1 ? '' : 'es'}`;
    const { lost, uncalledFor, failed, again } = result.judgement;
    rows.push([
      name,
      whole(result.perSecond),
      whole(result.acceptedPerSecond),
      ms(result.p50 / 1_000),
      ms(result.p99 / 1_000),
      lost,
      uncalledFor,
      failed,
      again,
      result.executions.reduce((sum, one) => sum + one, 0),
      result.executions.join(' + '),
      ratio(result.perSecond / alone),
    ]);
  }
  table(
    `${amount} accepted runs of ${functions} functions in two workspaces, from the first accept to the last end`,
    rows,
  );
}

async function withRunners(count, amount, functions) {
  const fleet = await startFleet();
  try {
    await fleet.start('projections,sagas,scheduler,mail-in');
    const runners = await Promise.all(Array.from({ length: count }, () => fleet.start('runner')));
    const api = await fleet.start('api');
    const keys = [ownerKey, await secondWorkspace(fleet.environment)];
    for (const key of keys) await call(api, key, 'workspace/updateSettings', { runsTab: true });
    const hooks = [];
    for (let n = 0; n < functions; n += 1) hooks.push(await webhookOf(api, keys[n % 2], 'return params.n + 1'));
    const warm = await warmUp(api, hooks, runners);
    const before = await executionsOf(runners);
    const { accepted, began, acceptedPerSecond } = await acceptAll(api, hooks, amount);
    await allEnded(api, hooks);
    const executions = (await executionsOf(runners)).map((number, at) => number - before[at]);
    const runs = new Map();
    for (const hook of hooks) for (const [id, run] of await runsOf(api, hook)) if (!warm.has(id)) runs.set(id, run);
    const ends = [...runs.values()].map(({ finishedAt }) => Date.parse(finishedAt));
    const waits = [...accepted].map(([id, at]) => Date.parse(runs.get(id)?.finishedAt) - at);
    const seconds = (Math.max(...ends) - began) / 1_000;
    const { p50, p99 } = figures(waits, 1);
    const judgement = judged([...accepted.keys()], runs);
    return { perSecond: amount / seconds, acceptedPerSecond, p50, p99, executions, judgement };
  } finally {
    await fleet.stop();
  }
}

async function secondWorkspace(environment) {
  const flags = ['--name', unique('Second'), '--owner-name', 'Ada', '--owner-email', 'ada@example.org'];
  const env = { PATH: process.env['PATH'], ...environment };
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--no-warnings', cli, 'workspace:create', ...flags], { env });
  return JSON.parse(stdout).ownerKey;
}

async function acceptAll(api, hooks, amount) {
  const accepted = new Map();
  const began = Date.now();
  let next = 0;
  const one = async () => {
    while (next < amount) {
      const hook = hooks[next++ % hooks.length];
      const { status, runId } = await accept(api, hook);
      if (status !== 202) throw new Error(`A webhook answered ${status}.`);
      accepted.set(runId, Date.now());
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  return { accepted, began, acceptedPerSecond: (amount * 1_000) / (Date.now() - began) };
}
