// Engines become unavailable under load, one after the other, and come back. Each call has an idempotency key and is
// repeated until it is acknowledged. So anything missing afterwards was lost by the service, and anything duplicated
// was done twice by it.
import { setTimeout } from 'node:timers/promises';
import { ownerKey } from '../../test/support/service-process.ts';
import { scaled } from '../support/scale.mjs';
import { ms, table, whole } from '../support/table.mjs';
import { stoodInFor } from './engines.mjs';
import { alike, startFleet, unique, until, worker } from './fleet.mjs';
import { allEnded, call, executionsOf, judged, runsOf, webhookOf } from './scenes.mjs';

const calmMs = scaled(5_000, 500);
/** Pause between two calls of a caller, in milliseconds, so that a small machine can keep up with the runs. */
const pauseMs = 200;
const patienceMs = 300_000;

export async function storeRetry({ seconds = scaled(20) } = {}) {
  if (!['EventStoreDB', 'MongoDB'].every((name) => stoodInFor.includes(name))) {
    process.stdout.write('\noutage: only stand-ins for EventStoreDB and MongoDB can be taken away from here.\n');
    return;
  }
  const fleet = await startFleet();
  try {
    const workers = [await fleet.start(worker), await fleet.start(worker)];
    const apis = [await fleet.start('api'), await fleet.start('api')];
    const scene = await setScene(apis);
    const load = startLoad(apis, scene);
    const { engines } = fleet;
    const rows = [
      ['', 'caught up after s', 'acknowledged meanwhile', 'refused meanwhile', 'longest call s', 'memory of all MB'],
    ];
    const all = [...workers, ...apis];
    const away = async (name, stop, start) => {
      rows.push([name, ...(await takenAway({ stop, start, seconds, load, all, apis, scene, workers }))]);
    };
    await setTimeout(calmMs);
    rows.push(['before', '', load.acknowledged(), load.refused(), ms(load.longest()), memoryOf(all)]);
    await away(`event store away for ${seconds} s`, engines.stopEventStore, engines.startEventStore);
    await setTimeout(calmMs);
    await away(`MongoDB silent for ${seconds} s`, engines.silenceMongo, engines.wakeMongo);
    await setTimeout(calmMs);
    const ledger = await load.end();
    await allEnded(apis[0], scene.hooks, patienceMs);
    table('engines go away under load', rows);
    await report(apis[0], scene, ledger, all);
    for (const [what, count] of ledger.refusals) process.stdout.write(`refused: ${count} × ${what}\n`);
    for (const { shape, count, roles } of alike(fleet.said()).slice(0, 25)) {
      process.stdout.write(`said: ${count} × ${shape.slice(0, 200)} (e.g. by ${roles})\n`);
    }
  } finally {
    await fleet.stop();
  }
}

async function setScene([api]) {
  await call(api, ownerKey, 'workspace/updateSettings', { runsTab: true });
  const hooks = [];
  for (let n = 0; n < 8; n += 1) hooks.push(await webhookOf(api, ownerKey, 'return params.n + 1'));
  return { hooks, prefix: unique('Outage') };
}

function startLoad(apis, { hooks, prefix }) {
  const ledger = { functions: new Map(), accepted: new Map(), answered: new Map(), refusals: new Map() };
  let ended = false;
  let asked = 0;
  let refused = 0;
  let longest = 0;
  const count = () => ledger.functions.size + ledger.accepted.size + ledger.answered.size;
  const untilAcknowledged = async (attempt) => {
    for (;;) {
      const began = performance.now();
      const answer = await attempt().catch((error) => ({
        refusal: `no answer: ${error.cause?.code ?? error.message}`,
      }));
      longest = Math.max(longest, performance.now() - began);
      if (answer.id !== undefined) return answer.id;
      refused += 1;
      ledger.refusals.set(answer.refusal, (ledger.refusals.get(answer.refusal) ?? 0) + 1);
      await setTimeout(250);
    }
  };
  const caller = (kind, attempt) => async () => {
    while (!ended) {
      const number = asked++;
      const key = `${prefix} ${number}`;
      const made = () => attempt(apis[number % apis.length], hooks[number % hooks.length], key);
      ledger[kind].set(key, await untilAcknowledged(made));
      await setTimeout(pauseMs);
    }
  };
  const callers = [
    ...[1, 2, 3, 4].map(() => caller('functions', createWithKey)),
    ...[1, 2, 3, 4].map(() => caller('accepted', acceptWithKey)),
    ...[1, 2].map(() => caller('answered', runWithKey)),
  ].map((one) => one());
  return {
    acknowledged: count,
    refused: () => refused,
    longest: () => longest / 1_000,
    forgetLongest: () => {
      longest = 0;
    },
    end: async () => {
      ended = true;
      await Promise.all(callers);
      return ledger;
    },
  };
}

const refusalOf = ({ status, body }) => `${status} ${body.code ?? JSON.stringify(body)}`;

async function createWithKey(api, _hook, key) {
  const reply = await api.call('automations/createFunction', { name: key }, { 'idempotency-key': key });
  return reply.status === 200 ? { id: reply.body.id } : { refusal: refusalOf(reply) };
}

async function acceptWithKey(api, hook, key) {
  const reply = await api.post(hook.path, { n: 1 }, { prefer: 'respond-async', 'idempotency-key': key });
  return reply.status === 202 ? { id: reply.body.runId } : { refusal: refusalOf(reply) };
}

async function runWithKey(api, hook, key) {
  const reply = await api.post(hook.path, { n: 1 }, { 'idempotency-key': key });
  return reply.status === 200 ? { id: reply.headers.get('x-run-id') } : { refusal: refusalOf(reply) };
}

async function takenAway({ stop, start, seconds, load, all, apis, workers }) {
  const before = { acknowledged: load.acknowledged(), refused: load.refused() };
  load.forgetLongest();
  await stop();
  await setTimeout(seconds * 1_000);
  const memory = memoryOf(all);
  await start();
  const backAt = performance.now();
  await until(
    () => isCaughtUp(apis, workers),
    (is) => is,
    'everything had caught up',
    patienceMs,
  );
  const caughtUp = (performance.now() - backAt) / 1_000;
  const meanwhile = [load.acknowledged() - before.acknowledged, load.refused() - before.refused];
  return [ms(caughtUp), ...meanwhile, ms(load.longest()), memory];
}

/** Whether every process is ready, all writes are visible, and no accepted run waits for long. */
async function isCaughtUp(apis, workers) {
  for (const { url } of [...apis, ...workers]) {
    const { status, parts } = await readiness(url);
    if (status !== 200 || parts.readModels !== 'ok') return false;
  }
  for (const api of apis) {
    const { status, headers } = await api.call('automations/createFunction', { name: unique('Probe') });
    if (status !== 200 || headers.has('x-read-model')) return false;
  }
  const [samples] = await Promise.all(workers.map(({ metrics }) => metrics()));
  return (samples.get('countersign_run_queue_age_seconds') ?? Number.POSITIVE_INFINITY) < 2;
}

async function readiness(url) {
  const response = await fetch(`${url}/readyz`);
  const { parts = {} } = await response.json();
  return { status: response.status, parts };
}

const memoryOf = (all) => all.map(({ rssMb }) => whole(rssMb())).join(' + ');

async function report(api, { hooks, prefix }, ledger, all) {
  const functions = await call(api, ownerKey, 'automations/listFunctions', {});
  const ours = functions.filter(({ name }) => name.startsWith(prefix));
  const ids = new Set(ours.map(({ id }) => id));
  const runs = new Map();
  for (const hook of hooks) for (const [id, run] of await runsOf(api, hook)) runs.set(id, run);
  const acknowledged = [...ledger.accepted.values(), ...ledger.answered.values()];
  const judgement = judged(acknowledged, runs);
  const executions = (await executionsOf(all)).reduce((sum, one) => sum + one, 0);
  const lostFunctions = [...ledger.functions.values()].filter((id) => !ids.has(id)).length;
  table('what was acknowledged', [
    ['', '', 'lost', 'done twice', 'failed', 'unended', 'made again'],
    [
      'commands',
      ledger.functions.size,
      lostFunctions,
      ours.length - new Set(ledger.functions.values()).size,
      '',
      '',
      '',
    ],
    [
      'runs',
      acknowledged.length,
      judgement.lost,
      judgement.uncalledFor,
      judgement.failed,
      judgement.unended,
      judgement.again,
    ],
  ]);
  process.stdout.write(`attempts that runs show: ${judgement.attempts}; that were made in sandboxes: ${executions}\n`);
  const told = [...runs.values()].flatMap(({ attempts }) => attempts.map(({ error }) => error)).filter(Boolean);
  for (const error of new Set(told)) process.stdout.write(`attempts that failed: ${error}\n`);
}
