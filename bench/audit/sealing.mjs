// The cost of sealing for a command: the service is measured in turn with one that seals nothing. Also the speed of an
// export.

import { once } from 'node:events';
import { get } from 'node:http';
import { join } from 'node:path';
import { ownerKey } from '../../test/support/service-process.ts';
import { body, path } from '../service/commands.mjs';
import { inTurn, median, round } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, scratch, startService } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';

const headers = { authorization: `Bearer ${ownerKey}` };
const without = ['--import', join(import.meta.dirname, 'without-sealing.mjs')];

export async function sealing({ seconds = scaled(4), rounds = scaled(7) } = {}) {
  const dataDir = scratch();
  const [ours, bare] = await Promise.all([startService({ dataDir }), startService({ more: without })]);
  try {
    const load = (server, connections, length) => () =>
      round({ server, path, body, headers, connections, seconds: length });
    const rows = [['', 'per s', 'p50 ms', 'CPU µs', 'unsealed per s', 'p50', 'CPU µs', 'ratio', 'CPU ratio', 'failed']];
    await inTurn([load(ours, 16, 4), load(bare, 16, 4)], 1);
    for (const connections of [8, 64]) {
      const [sealed, unsealed] = await inTurn(
        [load(ours, connections, seconds), load(bare, connections, seconds)],
        rounds,
      );
      const shown = [sealed, unsealed].flatMap(({ perSecond, p50, cpu }) => [whole(perSecond), ms(p50), whole(cpu)]);
      rows.push([
        `${connections} connections`,
        ...shown,
        ratio(sealed.perSecond / unsealed.perSecond),
        ratio(unsealed.cpu / sealed.cpu),
        sealed.failed + unsealed.failed,
      ]);
    }
    table('createFunction with the audit sealed, and without (ratio: at least 0.97)', rows);
    await exports(ours);
  } finally {
    await Promise.all([ours.stop(), bare.stop()]);
    discard(dataDir);
  }
}

async function exports(service) {
  await exported(service);
  const times = [];
  let lines = 0;
  let bytes = 0;
  for (let turn = 0; turn < scaled(5); turn += 1) {
    const began = performance.now();
    ({ lines, bytes } = await exported(service));
    times.push(performance.now() - began);
  }
  const time = median(times);
  table('an export of that service over loopback', [
    ['', 'events', 'per s', 'MB per s'],
    ['GET /api/v1/audit/export', lines - 2, whole((lines * 1_000) / time), whole(bytes / time / 1_000)],
  ]);
}

async function exported({ url }) {
  const request = get(`${url}/api/v1/audit/export`, { headers });
  const [answer] = await once(request, 'response');
  let lines = 0;
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  return { lines, bytes };
}
