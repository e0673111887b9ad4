// A workspace with as many sites as its plan includes: the time to create the first and the last ones, and to list
// them.
import { ownerKey } from '../../test/support/service-process.ts';
import { figures, round } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, scratch, startService } from '../support/servers.mjs';
import { ms, table, whole } from '../support/table.mjs';

const some = scaled(50, 2);

export async function projects({ sites = scaled(500, 5), seconds = scaled(5) } = {}) {
  const dataDir = scratch();
  const service = await startService({ dataDir });
  const rows = [['', 'calls/s', 'p50', 'p99', 'cpu', 'failed']];
  const add = (name, { perSecond, p50, p99, cpu, failed = 0 }) =>
    rows.push([name, whole(perSecond), ms(p50), ms(p99), cpu === undefined ? '' : ms(cpu / 1000), String(failed)]);
  try {
    const times = [];
    for (let at = 0; at < sites; at += 1) {
      const began = performance.now();
      await service.call('site/createProject', { name: `Site ${at}` });
      times.push(performance.now() - began);
    }
    const made = (list) => figures(list, list.reduce((sum, time) => sum + time, 0) / 1000);
    add(`createProject, the first ${some}`, made(times.slice(0, some)));
    add(`createProject, the last ${some}`, made(times.slice(-some)));
    const headers = { authorization: `Bearer ${ownerKey}` };
    for (const connections of [1, 32]) {
      const list = { server: service, path: '/api/v1/site/listProjects', body: {}, headers, connections };
      await round({ ...list, seconds: 1 });
      add(`listProjects, ${connections} connections`, await round({ ...list, seconds }));
    }
  } finally {
    await service.stop();
    discard(dataDir);
  }
  table(`a workspace with ${sites} sites`, rows);
}
