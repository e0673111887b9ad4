// A rebuild of every read model from a long log, in this process. The floor is reading the same log and nothing else.

import { projections } from '../../dist/projections/projections.js';
import { EmbeddedEventStore } from '../../dist/src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { EmbeddedReadStore } from '../../dist/src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { maintenanceOf, writeHistory } from '../support/history.mjs';
import { scaled } from '../support/scale.mjs';
import { discard, scratch } from '../support/servers.mjs';
import { ms, ratio, table, whole } from '../support/table.mjs';

const events = scaled(200_000, 2_000);

export async function rebuild() {
  const directory = scratch();
  await writeHistory(directory, events);
  const log = new EmbeddedEventStore({ directory });
  const store = new EmbeddedReadStore({ directory });
  const rows = [['', 'seconds', 'events of the log per s']];
  try {
    const maintenance = maintenanceOf(log, store);
    const scan = await timed(() => readThrough(log));
    for (const projection of projections) {
      const took = await timed(() => maintenance.rebuild([projection]));
      rows.push([`${projection.name} alone`, ms(took), whole(events / took)]);
    }
    const total = await timed(() => maintenance.rebuild(projections));
    rows.push(['all of them', ms(total), whole(events / total)]);
    rows.push(['floor: reading the log once', ms(scan), whole(events / scan)]);
    rows.push(['ratio', '', ratio(scan / total)]);
  } finally {
    await log.close();
    await store.close();
    discard(directory);
  }
  table(`rebuild of every read model, ${events} events (all of them: at least 50,000 events/s)`, rows);
}

async function readThrough(log) {
  for (let from = -1; ; ) {
    const page = await log.readAll({ from, limit: 2_000 });
    if (page.length === 0) return;
    from = page.at(-1).position;
  }
}

async function timed(work) {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}
