import { isReadable } from '../../kernel/event/unreadable-event.js';
import type { EventStore } from '../../ports/event-store.port.js';
import type { Saga } from './saga.js';

const hourMs = 3_600_000;
const pageSize = 1_000;
const mostEvents = 5_000;

/**
 * Returns the log position after which the saga begins: its checkpoint or, if it has none and skips history, the
 * position before the events of the last hour, but at most 5,000 events before the end of the log. The hour ends with
 * the newest event of the log. Retention keeps runs for a day at least and records an event when it removes some, so
 * runs that it removed for their age were started before this hour. Later runs are still in the log, and starting them
 * again has no effect. The exception is a site's function with more than 500 runs since: only its last 500 are
 * retained. Parked events that are older were lost with the checkpoint.
 */
export async function sagaBeginning({ skipsHistory }: Saga, checkpoint: number, events: EventStore): Promise<number> {
  if (!skipsHistory || checkpoint >= 0) return checkpoint;
  let since: string | undefined;
  let seen = 0;
  for (let from: { readonly from?: number } = {}; ; ) {
    // Reads events of all types: the embedded log has no index of types, so looking for rare ones would read all of it.
    const page = await events.readAll({ ...from, direction: 'backward', limit: pageSize, onlyShown: true });
    for (const event of page) {
      if (isReadable(event)) {
        since ??= new Date(Date.parse(event.metadata.at) - hourMs).toISOString();
        if (event.metadata.at < since) return event.position;
      }
      if (seen === mostEvents) return event.position;
      seen += 1;
      from = { from: event.position };
    }
    if (page.length < pageSize) return checkpoint;
  }
}
