// kill -9 of the process that holds all leases, again and again. Measures how soon another process does its work: it
// holds the leases, writes are visible, and runs accepted since the kill have ended, including those in the dead
// process's share.
import { ownerKey } from '../../test/support/service-process.ts';
import { median } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { ms, table } from '../support/table.mjs';
import { startFleet, unique, until, worker } from './fleet.mjs';
import { accept, allEnded, warmUp, webhookOf } from './scenes.mjs';

const stages = { leases: 'all leases are held', shown: 'commands are shown', runs: 'accepted runs have ended' };

export async function takeOvers({ repetitions = scaled(5), functions = 16 } = {}) {
  const times = Object.fromEntries(Object.keys(stages).map((stage) => [stage, []]));
  const fleet = await startFleet();
  try {
    let holder = await fleet.start(worker);
    const api = await fleet.start('api');
    const hooks = [];
    for (let n = 0; n < functions; n += 1) hooks.push(await webhookOf(api, ownerKey, 'return 1'));
    for (let n = 0; n < repetitions; n += 1) {
      const next = await fleet.start(worker);
      await warmUp(api, hooks, [holder, next]);
      const leases = await leasesOf(holder);
      await holder.end('SIGKILL');
      const killedAt = performance.now();
      const since = (stage) => () => times[stage].push((performance.now() - killedAt) / 1_000);
      await Promise.all([
        until(
          async () => (await leasesOf(next)).length,
          (count) => count === leases.length,
          stages.leases,
        ).then(since('leases')),
        until(
          () => isShown(api),
          (shown) => shown,
          stages.shown,
        ).then(since('shown')),
        afterAccepting(api, hooks).then(since('runs')),
      ]);
      holder = next;
    }
  } finally {
    await fleet.stop();
  }
  const rows = Object.entries(stages).map(([stage, words]) => [
    words,
    ms(median(times[stage])),
    ms(Math.max(...times[stage])),
  ]);
  table(`kill -9 of the process that holds the leases, ${repetitions} times: s until the other`, [
    ['', 'median', 'worst'],
    ...rows,
  ]);
}

async function leasesOf({ metrics }) {
  return [...(await metrics()).keys()].filter((name) => name.startsWith('countersign_lease_held{'));
}

async function isShown(api) {
  const { status, headers } = await api.call('automations/createFunction', { name: unique('Shown') });
  return status === 200 && !headers.has('x-read-model');
}

async function afterAccepting(api, hooks) {
  for (const hook of hooks) await accept(api, hook);
  await allEnded(api, hooks);
}
