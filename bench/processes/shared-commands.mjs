// Durable commands through one and through two api processes, while another process builds the read models. Also
// measures how far these lag behind the log.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ownerKey } from '../../test/support/service-process.ts';
import { body, path } from '../service/commands.mjs';
import { inTurn, spread } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';
import { startFleet, worker } from './fleet.mjs';

const sampler = fileURLToPath(new URL('./lag-sampler.mjs', import.meta.url));
const head = ['', 'per s', 'p50 ms', 'p99 ms', 'CPU µs (API)', 'failed', 'lag p50 ms', 'lag p99 ms', 'of one API'];

export async function sharedCommands({ seconds = scaled(5), rounds = scaled(3) } = {}) {
  const fleet = await startFleet();
  const rows = [head];
  try {
    await fleet.start(worker);
    const two = [await fleet.start('api'), await fleet.start('api')];
    const lags = await startSampler(fleet.environment);
    const headers = { authorization: `Bearer ${ownerKey}` };
    const load = (servers, connections, length) => async () => {
      const result = await spread({ servers, path, body, headers, connections, seconds: length });
      const lag = await lags.take();
      return { ...result, lagP50: lag.p50, lagP99: lag.p99 };
    };
    await load(two, 8, 4)();
    for (const connections of [8, 32]) {
      const contestants = [load(two.slice(0, 1), connections, seconds), load(two, connections, seconds)];
      const [one, both] = await inTurn(contestants, rounds);
      rows.push(row(`${connections} connections, one API process`, one, one));
      rows.push(row(`${connections} connections, two API processes`, both, one));
    }
    lags.end();
  } finally {
    await fleet.stop();
  }
  table('createFunction, read models built in another process', rows);
}

function row(name, result, one) {
  const { perSecond, p50, p99, cpu, failed, lagP50, lagP99 } = result;
  const figures = [whole(perSecond), ms(p50), ms(p99), whole(cpu), failed, ms(lagP50), ms(lagP99)];
  return [name, ...figures, ratio(perSecond / one.perSecond)];
}

async function startSampler(environment) {
  const child = fork(sampler, { env: { PATH: process.env['PATH'], ...environment }, execArgv: ['--no-warnings'] });
  await once(child, 'message');
  return {
    take: async () => {
      child.send('take');
      const [lags] = await once(child, 'message');
      return lags;
    },
    end: () => child.disconnect(),
  };
}
