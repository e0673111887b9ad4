import { WrongExpectedRevision } from '../../../ports/event-store.port.js';
import type { AppendBytes } from './append-messages.js';

export interface EventPosition {
  readonly id: string;
  readonly revision: number;
  /** Undefined if unknown. For an append of several events, the server reports only the position of the last one. */
  readonly position: number | undefined;
}

/**
 * Returns the position of the request's last event if all its events are in the stream, one directly after the other,
 * or undefined if the stream contains no event of the request.
 * @param events part of the stream, in order
 * @throws WrongExpectedRevision if only some of them are there, or in another order
 */
export function repetitionIn(
  { stream, expected, ids }: AppendBytes,
  events: readonly EventPosition[],
): EventPosition | undefined {
  const first = events.findIndex(({ id }) => id === ids[0]);
  const last = events[first + ids.length - 1];
  if (first >= 0 && last !== undefined && ids.every((id, index) => events[first + index]?.id === id)) return last;
  // A stream must not contain an id twice, even if the request accepts any revision.
  const sought = new Set(ids);
  if (!events.some(({ id }) => sought.has(id))) return undefined;
  throw new WrongExpectedRevision(stream, expected, events.at(-1)?.revision ?? -1);
}

export function positionsOf(
  ids: readonly string[],
  { revision, position }: { readonly revision: number; readonly position: number },
): readonly EventPosition[] {
  const last = ids.length - 1;
  return ids.map((id, index) => ({
    id,
    revision: revision - last + index,
    position: index === last ? position : undefined,
  }));
}
