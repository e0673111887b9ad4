// A durable command over HTTP, compared with a bare Fastify that uses the same store's group-committed append.
import { ownerKey } from '../../test/support/service-process.ts';
import { against, head, inTurn, round } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { startFloor, startService } from '../support/servers.mjs';
import { table } from '../support/table.mjs';

export const path = '/api/v1/automations/createFunction';
export const body = {
  name: 'Order totals [<id>]',
  description: 'Adds up what an order costs, item by item, and says when it is worth a call.',
  code: [
    'let total = 0;',
    'for (const item of params.items ?? []) {',
    '  const price = Number(item.price);',
    '  const quantity = Number(item.quantity ?? 1);',
    '  if (Number.isFinite(price) && quantity > 0) total += price * quantity;',
    '}',
    "if (total > 1000) console.log('large order', total);",
    'return { total };',
  ].join('\n'),
};

export async function commands({ seconds = scaled(5), rounds = scaled(3) } = {}) {
  const [service, floor] = await Promise.all([startService(), startFloor('append')]);
  const headers = { authorization: `Bearer ${ownerKey}` };
  const load = (server, connections, length) => () =>
    round({ server, path, body, headers, connections, seconds: length });
  const rows = [['', ...head]];
  try {
    await inTurn([load(service, 16, 4), load(floor, 16, 2)], 1);
    for (const connections of [8, 64]) {
      const [ours, bare] = await inTurn(
        [load(service, connections, seconds), load(floor, connections, seconds)],
        rounds,
      );
      rows.push([`${connections} connections`, ...against(ours, bare)]);
    }
  } finally {
    await Promise.all([service.stop(), floor.stop()]);
  }
  table(`createFunction, body of ${JSON.stringify(body).length} bytes (ratio: at least 0.6, aim 0.8)`, rows);
}
