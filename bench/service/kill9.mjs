// Kills the loaded service at random moments, and counts acknowledged and lost commands.
import { setTimeout } from 'node:timers/promises';
import { answeredDifferently, lost } from '../../test/support/kills/kill-check.ts';
import { createWithKey, emptyLedger, loadUntilKilled, post, setScene } from '../../test/support/kills/kill-ledger.ts';
import { startServiceProcess } from '../../test/support/service-process.ts';
import { scaled } from '../support/scale.mjs';
import { discard, scratch } from '../support/servers.mjs';
import { table } from '../support/table.mjs';

export async function kill9({ rounds = scaled(50) } = {}) {
  const dataDir = scratch();
  const ledger = emptyLedger();
  const missing = new Set();
  try {
    let service = await startServiceProcess({ dataDir });
    const scene = await setScene(service);
    for (let round = 0; round < rounds; round += 1) {
      const load = loadUntilKilled(service, scene, ledger, round);
      await setTimeout(200 + Math.random() * 1_000);
      await service.end('SIGKILL');
      await load;
      service = await startServiceProcess({ dataDir });
      for (const sentence of await lost(service, scene, ledger)) missing.add(sentence);
    }
    const create = (key) => createWithKey(service, key);
    const deliver = (key) => post(service, scene, { key });
    const different = await answeredDifferently(ledger, create, deliver);
    await service.end('SIGTERM');
    const { functions, runs, accepted, keyedFunctions, keyedRuns } = ledger;
    table(`kill -9, ${rounds} times under load`, [
      ['acknowledged', '', 'lost'],
      ['commands (functions)', functions.size, [...missing].filter((one) => one.includes('function')).length],
      ['runs answered', runs.size, [...missing].filter((one) => one.startsWith('run')).length],
      ['runs accepted', accepted.size, [...missing].filter((one) => one.startsWith('accepted')).length],
      ['keys that would be answered differently', keyedFunctions.size + keyedRuns.size, different.length],
    ]);
    for (const sentence of [...missing, ...different].slice(0, 20)) process.stdout.write(`lost: ${sentence}\n`);
  } finally {
    discard(dataDir);
  }
}
