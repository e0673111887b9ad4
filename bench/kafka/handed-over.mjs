// Accepted runs that are handed over and executed per second, the delay of an accepted run under steady load, and the
// cost of an idle process. Measured in turn with bare kafkajs.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { ownerKey } from '../../test/support/service-process.ts';
import { startFleet, until } from '../processes/fleet.mjs';
import { accept, allEnded, call, judged, runsOf, warmUp, webhookOf } from '../processes/scenes.mjs';
import { cpuMs, figures, median } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';
import { startBare } from './bare.mjs';

const connections = 16;
const runnerCount = 2;

export async function handedOver({
  rounds = scaled(3),
  amount = scaled(1_000, 20),
  steady = scaled(200, 5),
  everyMs = 100,
  idleMs = scaled(15_000, 500),
} = {}) {
  const fleet = await startFleet({ LEASE_SILENCE_MS: '8000' });
  try {
    await fleet.start('projections,sagas,scheduler,mail-in');
    const runners = [await fleet.start('runner'), await fleet.start('runner')];
    const api = await fleet.start('api');
    await call(api, ownerKey, 'workspace/updateSettings', { runsTab: true });
    const hooks = [];
    for (let n = 0; n < 50; n += 1) hooks.push(await webhookOf(api, ownerKey, 'return 1'));
    const warm = await warmUp(api, hooks, runners);
    const { KAFKA_BROKERS: brokers } = fleet.environment;
    const bare = await startBare(brokers, { members: runnerCount, topics: 4 });
    const results = { ours: [], bare: [] };
    const accepted = new Map();
    for (let turn = 0; turn < rounds; turn += 1) {
      results.ours.push(await ourRound({ api, hooks, amount, steady, everyMs, accepted }));
      results.bare.push(await bareRound({ bare, amount, steady, everyMs }));
    }
    const idle = {
      ours: await idleShare(
        runners.map(({ pid }) => pid),
        idleMs,
      ),
      bare: await idleShare(bare.pids, idleMs),
    };
    await bare.stop();
    const runs = await allRuns(api, hooks, warm);
    report({ results, idle, amount, judgement: judged([...accepted.keys()], runs) });
  } catch (error) {
    for (const { roles, text } of fleet.said()) process.stdout.write(`${roles} said: …${text.slice(-1_000)}\n`);
    throw error;
  } finally {
    await fleet.stop();
  }
}

async function ourRound({ api, hooks, amount, steady, everyMs, accepted }) {
  const acceptOne = async (n) => {
    const asked = Date.now();
    const { status, runId } = await accept(api, hooks[n % hooks.length]);
    if (status !== 202) throw new Error(`A webhook answered ${status}.`);
    accepted.set(runId, { asked, answered: Date.now() });
    return runId;
  };
  const mine = new Set();
  const began = Date.now();
  await manyAtOnce(amount, acceptOne);
  await allEnded(api, hooks);
  const perSecond = (amount * 1_000) / (Date.now() - began);
  await paced(steady, everyMs, async (n) => mine.add(await acceptOne(n)));
  await allEnded(api, hooks);
  const runs = await allRuns(api, hooks, new Set());
  const since = (what) =>
    [...mine].map((id) => Date.parse(runs.get(id).attempts[0].startedAt) - accepted.get(id)[what]);
  return roundOf(perSecond, since('asked'), since('answered'));
}

async function bareRound({ bare, amount, steady, everyMs }) {
  const ids = [];
  const publishOne = async () => {
    const id = randomUUID();
    const asked = Date.now();
    await bare.publish(id);
    ids.push(id);
    return { id, asked, answered: Date.now() };
  };
  const began = Date.now();
  await manyAtOnce(amount, publishOne);
  await allHanded(bare, ids);
  const perSecond = (amount * 1_000) / (Date.now() - began);
  const acknowledged = [];
  await paced(steady, everyMs, async () => acknowledged.push(await publishOne()));
  await allHanded(bare, ids);
  const since = (what) => acknowledged.map((one) => bare.handed.get(one.id) - one[what]);
  return roundOf(perSecond, since('asked'), since('answered'));
}

function roundOf(perSecond, sinceAsked, sinceAnswered) {
  const [asked, answered] = [figures(sinceAsked, 1), figures(sinceAnswered, 1)];
  return { perSecond, asked50: asked.p50, asked99: asked.p99, answered50: answered.p50, answered99: answered.p99 };
}

const allHanded = ({ handed }, ids) =>
  until(
    async () => ids.every((id) => handed.has(id)),
    (all) => all,
    'all was handed over',
  );

async function manyAtOnce(amount, one) {
  let next = 0;
  const caller = async () => {
    while (next < amount) await one(next++);
  };
  await Promise.all(Array.from({ length: connections }, caller));
}

async function paced(amount, everyMs, one) {
  const begun = [];
  for (let n = 0; n < amount; n += 1) {
    begun.push(one(n));
    await setTimeout(everyMs);
  }
  await Promise.all(begun);
}

async function allRuns(api, hooks, without) {
  const runs = new Map();
  for (const hook of hooks) for (const [id, run] of await runsOf(api, hook)) if (!without.has(id)) runs.set(id, run);
  return runs;
}

/** Mean share of one core over the processes. */
async function idleShare(pids, idleMs) {
  const before = pids.map(cpuMs);
  const began = performance.now();
  await setTimeout(idleMs);
  const elapsed = performance.now() - began;
  return pids.reduce((sum, pid, at) => sum + (cpuMs(pid) - before[at]) / elapsed, 0) / pids.length;
}

function report({ results, idle, amount, judgement }) {
  const of = (side, name) => median(results[side].map((one) => one[name]));
  const row = (words, name, shown) => [
    words,
    shown(of('ours', name)),
    shown(of('bare', name)),
    ratio(of('ours', name) / of('bare', name)),
  ];
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  table(`${runnerCount} runners of 50 functions, ${results.ours.length} rounds in turn, medians`, [
    ['', 'runs', 'bare kafkajs', 'ratio'],
    row(`a second, of ${amount} from ${connections} callers`, 'perSecond', whole),
    row('from asking to begun, ms, p50', 'asked50', ms),
    row('p99', 'asked99', ms),
    ['from accepted to begun, ms, p50', ms(of('ours', 'answered50')), ms(of('bare', 'answered50')), ''],
    ['p99', ms(of('ours', 'answered99')), ms(of('bare', 'answered99')), ''],
    ['an idle process, of a core', percent(idle.ours), percent(idle.bare), ratio(idle.ours / idle.bare)],
  ]);
  const { lost, uncalledFor, failed, again } = judgement;
  process.stdout.write(`lost ${lost}, uncalled for ${uncalledFor}, failed ${failed}, made again ${again}\n`);
}
