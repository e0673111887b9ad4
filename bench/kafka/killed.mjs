// kill -9 of a broker and of a runner in turn, under load. Callers send an idempotency key and repeat calls until they
// are answered, so a run that is missing at the end was lost by the service.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { ownerKey } from '../../test/support/service-process.ts';
import { alike, startFleet, until } from '../processes/fleet.mjs';
import { accept, allEnded, call, judged, runsOf, webhookOf } from '../processes/scenes.mjs';
import { median } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { ms, table } from '../support/table.mjs';

export async function killed({
  kills = Number(process.env['BENCH_KILLS'] ?? scaled(20)),
  callers = 4,
  pauseMs = 100,
} = {}) {
  const fleet = await startFleet({ LEASE_SILENCE_MS: '8000' });
  try {
    await fleet.start('projections,sagas,scheduler,mail-in');
    const runners = [await fleet.start('runner'), await fleet.start('runner')];
    const api = await fleet.start('api');
    await call(api, ownerKey, 'workspace/updateSettings', { runsTab: true });
    const hooks = [];
    const code = 'await new Promise((end) => setTimeout(end, 50)); return 1';
    for (let n = 0; n < 24; n += 1) hooks.push(await webhookOf(api, ownerKey, code));
    await allBegun(api, hooks);
    const load = startLoad(api, hooks, callers, pauseMs);
    const silences = { broker: [], runner: [] };
    const { engines } = fleet;
    for (let n = 0; n < kills; n += 1) {
      const id = engines.brokerIds[n % engines.brokerIds.length];
      await moment();
      await engines.killBroker(id);
      silences.broker.push(await workedOff(api, hooks));
      await engines.startBroker(id);
      await moment();
      const at = n % runners.length;
      await runners[at].end('SIGKILL');
      silences.runner.push(await workedOff(api, hooks));
      runners[at] = await fleet.start('runner');
      process.stdout.write(`${n + 1} of ${kills}: ${load.accepted.size} accepted\n`);
    }
    await load.end();
    await allEnded(api, hooks);
    const runs = new Map();
    for (const hook of hooks) for (const [id, run] of await runsOf(api, hook)) runs.set(id, run);
    report({ kills, silences, accepted: [...load.accepted], refused: load.refused(), runs });
    for (const { shape, count, roles } of alike(fleet.said()).slice(0, 15)) {
      process.stdout.write(`said: ${count} × ${shape.slice(0, 160)} (e.g. by ${roles})\n`);
    }
  } finally {
    await fleet.stop();
  }
}

const moment = () => setTimeout(500 + Math.random() * 1_500);

async function allBegun(api, hooks) {
  for (const hook of hooks) await accept(api, hook);
  await allEnded(api, hooks);
}

/** Accepts a run of each function now. Returns the seconds until all have ended. */
async function workedOff(api, hooks) {
  const began = performance.now();
  for (const hook of hooks) {
    await until(
      () => accept(api, hook, { 'idempotency-key': randomUUID() }).catch(() => ({ status: 0 })),
      ({ status }) => status === 202,
      'a run was accepted',
    );
  }
  await allEnded(api, hooks);
  return (performance.now() - began) / 1_000;
}

function startLoad(api, hooks, callers, pauseMs) {
  const accepted = new Set();
  let refused = 0;
  let ended = false;
  const caller = async (first) => {
    for (let n = first; !ended; n += callers) {
      const key = randomUUID();
      for (let answered = false; !answered; ) {
        const { status, runId } = await accept(api, hooks[n % hooks.length], { 'idempotency-key': key }).catch(
          () => ({}),
        );
        answered = status === 202;
        if (answered) accepted.add(runId);
        else refused += 1;
        await setTimeout(pauseMs);
      }
    }
  };
  const all = Promise.all(Array.from({ length: callers }, (_, first) => caller(first)));
  return {
    accepted,
    refused: () => refused,
    end: async () => {
      ended = true;
      await all;
    },
  };
}

function report({ kills, silences, accepted, refused, runs }) {
  const { lost, unended, failed, again } = judged(accepted, runs);
  table(`kill -9 of ${kills} brokers and of ${kills} runners under load`, [
    ['', 'median', 'worst'],
    ...Object.entries(silences).map(([who, all]) => [
      `${who}: s until a run of each function that was accepted since has ended`,
      ms(median(all)),
      ms(Math.max(...all)),
    ]),
  ]);
  process.stdout.write(
    `accepted ${accepted.length}, refused ${refused}, lost ${lost}, not ended ${unended}, failed ${failed}, made again ${again}\n`,
  );
}
