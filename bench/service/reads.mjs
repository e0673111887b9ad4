// Queries over 32 connections, compared with a bare Fastify that echoes the request.
import { ownerKey } from '../../test/support/service-process.ts';
import { against, head, inTurn, round } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { startFloor, startService } from '../support/servers.mjs';
import { table } from '../support/table.mjs';

const functions = 50;

export async function reads({ seconds = scaled(5), rounds = scaled(3) } = {}) {
  const [service, floor] = await Promise.all([startService(), startFloor('echo')]);
  const rows = [['32 connections', ...head]];
  const headers = { authorization: `Bearer ${ownerKey}` };
  try {
    const made = await Promise.all(
      Array.from({ length: functions }, (_, at) =>
        service.call('automations/createFunction', { name: `Function ${at}`, code: `return params.a + ${at};` }),
      ),
    );
    const queries = { getFunction: { id: made[0].id }, listFunctions: {} };
    for (const [name, body] of Object.entries(queries)) {
      const path = `/api/v1/automations/${name}`;
      const load = (server, length) => () => round({ server, path, body, headers, connections: 32, seconds: length });
      await inTurn([load(service, 2), load(floor, 1)], 1);
      const [ours, bare] = await inTurn([load(service, seconds), load(floor, seconds)], rounds);
      rows.push([name, ...against(ours, bare)]);
    }
  } finally {
    await Promise.all([service.stop(), floor.stop()]);
  }
  table(`queries, ${functions} functions`, rows);
}
