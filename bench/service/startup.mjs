// Time from spawning the process until it reports that it listens: on a new data directory, and on one with a million
// events whose read models are built. The floor is a bare Fastify with the same event store.

import { writeHistory } from '../support/history.mjs';
import { median } from '../support/load.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, scratch, startFloor, startService } from '../support/servers.mjs';
import { ms, table } from '../support/table.mjs';

const starts = scaled(5);

export async function startup({ events = scaled(1_000_000, 2_000) } = {}) {
  const rows = [['', 'ms, median of five', 'slowest']];
  const full = scratch();
  const empty = [];
  const bare = [];
  const filled = [];
  try {
    // The first start records the workspace and its key at the beginning of the log, as in practice.
    await (await startService({ dataDir: full })).stop();
    await writeHistory(full, events);
    const first = await startService({ dataDir: full });
    await first.stop();
    for (let n = 0; n < starts; n += 1) {
      empty.push(await once(() => startService()));
      bare.push(await once(() => startFloor('append')));
      filled.push(await once(() => startService({ dataDir: full })));
    }
    for (const [name, times] of Object.entries({ 'no events': empty, [`${events} events`]: filled, floor: bare })) {
      rows.push([name, ms(median(times)), ms(Math.max(...times))]);
    }
    rows.push([`${events} events, read models that lack all of them`, ms(first.startedInMs), '']);
  } finally {
    discard(full);
  }
  table('start, from spawn to listening', rows);
}

async function once(start) {
  const server = await start();
  await server.stop();
  return server.startedInMs;
}
