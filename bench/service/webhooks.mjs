// A webhook that runs a sandboxed function, with both events on disk before the answer. Compared with a bare Fastify
// with two appends.
import { against, head, inTurn, round } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { startFloor, startService } from '../support/servers.mjs';
import { table } from '../support/table.mjs';

const code = `let total = 0;
for (const item of params.items) total += item.price * item.quantity;
return { order: params.order, total };`;

export const order = {
  order: 'A-1001',
  items: Array.from({ length: 10 }, (_, at) => ({ sku: `sku-${at}`, price: 5 + at, quantity: 1 + (at % 3) })),
};

/** Creates an active function that sums an order. Returns it with the path of its webhook. */
export async function summingWebhook(service, name = 'Sum an order') {
  const { id } = await service.call('automations/createFunction', { name, code });
  await service.call('automations/updateFunction', { id, isActive: true });
  const { token } = await service.call('automations/createWebhook', { functionId: id });
  return { id, path: `/api/automations/functions/webhook/${token}` };
}

export async function webhooks({ seconds = scaled(5), rounds = scaled(3) } = {}) {
  const [service, floor] = await Promise.all([startService(), startFloor('append', 2)]);
  const rows = [['', ...head]];
  try {
    const { path } = await summingWebhook(service);
    const load = (server, connections, length) => () =>
      round({ server, path, body: order, connections, seconds: length });
    await inTurn([load(service, 8, 5), load(floor, 8, 2)], 1);
    for (const connections of [1, 8, 32]) {
      const [ours, bare] = await inTurn(
        [load(service, connections, seconds), load(floor, connections, seconds)],
        rounds,
      );
      rows.push([`${connections} connections`, ...against(ours, bare)]);
    }
  } finally {
    await Promise.all([service.stop(), floor.stop()]);
  }
  table('webhook, ten items summed (at 32: at least 400 runs/s, aim 750; at 1: p50 at most 5 ms)', rows);
}
