import { isReadable } from '../../kernel/event/unreadable-event.js';
import type { EventStore } from '../../ports/event-store.port.js';
import type { Saga } from './saga.js';

const hourMs = 3_600_000;
const pageSize = 1_000;
const mostPages = 5;

/**
 * Returns the log position after which the saga begins: its checkpoint or, if it has none and skips history, the
 * position before the events of the last hour, but at most 5,000 events before the end of the log. The hour ends with
 * the newest event of the log. Runs are retained for a day at least (of a site's function, only the last 500), and
 * retention records an event when it removes some. So the runs that events of this hour started are still in the log,
 * and starting them again has no effect. Parked events that are older were lost with the checkpoint.
 */
export async function sagaBeginning({ skipsHistory }: Saga, checkpoint: number, events: EventStore): Promise<number> {
  if (!skipsHistory || checkpoint >= 0) return checkpoint;
  const [newest] = await events.readAll({ direction: 'backward', limit: 1 });
  if (newest === undefined) return checkpoint;
  let after = newest.position;
  if (!isReadable(newest)) return after;
  const since = new Date(Date.parse(newest.metadata.at) - hourMs).toISOString();
  // Reads events of all types: the embedded log has no index of types, so looking for rare ones would read all of it.
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page = await events.readAll({ direction: 'backward', from: after + 1, limit: pageSize });
    for (const event of page) {
      if (isReadable(event) && event.metadata.at < since) return after;
      after = event.position - 1;
    }
    if (page.length < pageSize) break;
  }
  return after;
}
