// The effect of visitors without an account on the owner of their site and on a third workspace. These make the same
// calls one after the other, while two sites of two workspaces are flooded in one way after another. Each flood is
// compared with the same calls just before it, because records that the calls create make later ones slower. The limits
// are the defaults, and visitors come from twenty addresses. BENCH_AGAINST=<built checkout> measures that checkout as
// well.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ownerKey, startServiceProcess } from '../../test/support/service-process.ts';
import { floodedSite, floods, ownersCalls } from '../../test/support/sites/visitor-floods.ts';
import { figures } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, newWorkspace, scratch } from '../support/servers.mjs';
import { ms, ratio, table } from '../support/table.mjs';

const other = process.env['BENCH_AGAINST'];
const forMs = Number(process.env['BENCH_FLOOD_MS'] ?? scaled(6_000, 100));
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** @param part - the only flood to run, as in `--part 'sign-ups'` */
export async function visitorFloods({ part } = {}) {
  if (other !== undefined) await measured(`visitors who flood: ${other}`, join(other, 'dist/src/main.js'), part);
  await measured('visitors who flood', undefined, part);
}

async function measured(title, main, part) {
  const dataDir = scratch();
  await (await startServiceProcess({ dataDir })).end('SIGTERM');
  const [second, third] = [newWorkspace(dataDir, 'Second'), newWorkspace(dataDir, 'Third')];
  const environment = { VISITOR_RATE: '50', SITE_RATE: '500', TRUST_PROXY: '1' };
  const process = await startServiceProcess({ dataDir, main, environment });
  const call = (operation, body, key) => process.call(operation, body, { authorization: `Bearer ${key}` });
  const service = { url: process.url, call };
  const columns = ['p50 alone ms', 'p50 ms', 'p99 alone ms', 'p99 ms', 'p99 ratio', 'refused'];
  const rows = [['', ...['owner', 'third'].flatMap((who) => columns.map((column) => `${who} ${column}`))]];
  try {
    const sites = [await floodedSite(service, ownerKey), await floodedSite(service, second)];
    await calls(service, sites[0], third, scaled(2_000, 100));
    for (const name of Object.keys(floods)) {
      if (part !== undefined && part !== name) continue;
      const alone = await calls(service, sites[0], third, forMs);
      const flooding = fork(here('flooding.mjs'));
      flooding.send({ url: process.url, name, sites });
      await sleep(scaled(2_000));
      rows.push(rowOf(name, await calls(service, sites[0], third, forMs), alone));
      flooding.kill('SIGKILL');
      await once(flooding, 'exit');
      await sleep(scaled(1_000));
    }
    const alone = await calls(service, sites[0], third, forMs);
    rows.push(rowOf('no flood', await calls(service, sites[0], third, forMs), alone));
  } finally {
    await process.end('SIGTERM');
    discard(dataDir);
  }
  table(title, rows);
}

/** Makes the calls of an owner and of a third workspace in turn, and times each kind separately. */
async function calls({ call }, site, third, during) {
  const seen = { owner: { times: [], refused: 0 }, third: { times: [], refused: 0 } };
  const one = async (who, operation, body, key) => {
    const from = performance.now();
    const { status } = await call(operation, body, key);
    seen[who].times.push(performance.now() - from);
    if (status !== 200) seen[who].refused += 1;
  };
  const end = performance.now() + during;
  while (performance.now() < end) {
    for (const [operation, body] of ownersCalls(site)) await one('owner', operation, body, site.key);
    await one('third', 'automations/listFunctions', {}, third);
    await one('third', 'automations/createFunction', { name: crypto.randomUUID(), code: 'return 1' }, third);
  }
  return seen;
}

function rowOf(name, flooded, alone) {
  const part = (who) => {
    const [before, now] = [alone, flooded].map((seen) => figures(seen[who].times, forMs / 1_000));
    return [
      ms(before.p50),
      ms(now.p50),
      ms(before.p99),
      ms(now.p99),
      ratio(now.p99 / before.p99),
      flooded[who].refused,
    ];
  };
  return [name, ...part('owner'), ...part('third')];
}
