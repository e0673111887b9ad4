// Rows over HTTP, compared with a bare Fastify that inserts each request's body into SQLite with the same durability.
import { ownerKey } from '../../test/support/service-process.ts';
import { against, figures, head, inTurn, round } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { startFloor, startService } from '../support/servers.mjs';
import { ms, table, whole } from '../support/table.mjs';

const fields = [
  { name: 'title', type: 'text', required: true },
  { name: 'amount', type: 'number' },
  { name: 'paid', type: 'boolean' },
  { name: 'at', type: 'dateTime' },
];
const values = { title: 'Order [<id>]', amount: 12.5, paid: false, at: '2026-11-22T10:00:00.000Z' };
const bulks = scaled(20);

export async function rows({ seconds = scaled(5), rounds = scaled(3) } = {}) {
  const [service, floor] = await Promise.all([startService(), startFloor('insert')]);
  const headers = { authorization: `Bearer ${ownerKey}` };
  try {
    const { id: baseId } = await service.call('bases/createBase', { name: 'Bench' });
    const { id: tableId } = await service.call('bases/createTable', { baseId, name: 'Orders', fields });
    const { id: bulkId } = await service.call('bases/createTable', { baseId, name: 'Bulk', fields });
    const load = (server, connections, length) => () =>
      round({
        server,
        path: '/api/v1/bases/createRow',
        body: { tableId, values },
        headers,
        connections,
        seconds: length,
      });
    const shown = [['', ...head]];
    await inTurn([load(service, 16, 4), load(floor, 16, 2)], 1);
    for (const connections of [1, 8, 64]) {
      const [ours, bare] = await inTurn(
        [load(service, connections, seconds), load(floor, connections, seconds)],
        rounds,
      );
      shown.push([`${connections} connections`, ...against(ours, bare)]);
    }
    table('createRow (the floor: one durable insert a request)', shown);
    await bulk(service, bulkId);
  } finally {
    await Promise.all([service.stop(), floor.stop()]);
  }
}

async function bulk(service, tableId) {
  const times = [];
  const began = performance.now();
  for (let n = 0; n < bulks; n += 1) {
    const sent = Array.from({ length: 1_000 }, (_, at) => ({ ...values, title: `Order ${n}/${at}` }));
    const from = performance.now();
    await service.call('bases/createRows', { tableId, rows: sent });
    times.push(performance.now() - from);
  }
  const { p50, p99, perSecond } = figures(times, (performance.now() - began) / 1000);
  table('createRows, 1,000 rows a call', [
    ['', 'rows per s', 'p50 ms', 'p99 ms'],
    ['one call after the other', whole(perSecond * 1_000), ms(p50), ms(p99)],
  ]);
}
