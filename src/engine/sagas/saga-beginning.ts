import { auditSealed } from '../../kernel/audit-chain/signed-head.js';
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
 *
 * Nothing is skipped if no process ran sagas before this hour, because nothing was started then.
 */
export async function sagaBeginning({ skipsHistory }: Saga, checkpoint: number, events: EventStore): Promise<number> {
  if (!skipsHistory || checkpoint >= 0) return checkpoint;
  const older = await lastOlder(events);
  return older !== undefined && (await sagasRanBefore(older.hour, events)) ? older.position : checkpoint;
}

interface Older {
  readonly position: number;
  /** One hour before the newest event, in ISO 8601. Undefined if the newest 5,000 events are all unreadable. */
  readonly hour: string | undefined;
}

/** Returns the last event before the last hour and the newest 5,000 events. */
async function lastOlder(events: EventStore): Promise<Older | undefined> {
  let hour: string | undefined;
  let seen = 0;
  for (let from: { readonly from?: number } = {}; ; ) {
    // Reads events of all types: the embedded log has no index of types, so looking for rare ones would read all of it.
    const page = await events.readAll({ ...from, direction: 'backward', limit: pageSize, onlyShown: true });
    for (const event of page) {
      if (isReadable(event)) {
        hour ??= new Date(Date.parse(event.metadata.at) - hourMs).toISOString();
        if (event.metadata.at < hour) return { position: event.position, hour };
      }
      if (seen === mostEvents) return { position: event.position, hour };
      seen += 1;
      from = { from: event.position };
    }
    if (page.length < pageSize) return undefined;
  }
}

/**
 * The processes that run sagas also seal the audit, within a minute after their start and after each change. Where they
 * ran early, one of the first events of the log is a seal, so it is found at once. The result is wrongly true if an
 * export sealed the audit earlier, or if a process sealed it and died before its sagas had stored their beginning. It is
 * wrongly false for a service that has sealed for less than this hour; sagas then read its whole log again.
 */
async function sagasRanBefore(time: string | undefined, events: EventStore): Promise<boolean> {
  const [first] = await events.readAll({ types: [auditSealed], limit: 1, onlyShown: true });
  if (first === undefined) return false;
  return time === undefined || !isReadable(first) || first.metadata.at < time;
}
