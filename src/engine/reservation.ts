import { hash } from 'node:crypto';
import type { RecordedEvent } from '../kernel/event.js';
import { streamOf } from '../kernel/stream-name.js';
import type { EventStore } from '../ports/event-store.port.js';

/**
 * A name that one resource at a time may hold: `functionName` + 'Orders' → `fn_1`. It is a stream of its own, so that
 * two who want the same name meet there and one loses. Nothing is ever released: a reservation whose holder no longer
 * goes by the name is simply out of date.
 */
export interface Reservation {
  /** Category of the reservation streams. */
  readonly category: string;
  readonly name: string;
  /** Stream of the resource that is to hold it. */
  readonly holder: string;
  /** Whether that resource, as recorded, goes by this name now. */
  holds(events: readonly RecordedEvent[], name: string): boolean;
}

export interface NameReserved {
  readonly type: 'NameReserved';
  readonly data: { readonly name: string; readonly holder: string };
}

/** A writer that reserved a name records its resource within this time or never does. */
const settlesWithinMs = 60_000;

export function reservationStream(workspaceId: string, category: string, name: string): string {
  return streamOf(category, workspaceId, hash('sha256', name, 'hex').slice(0, 40));
}

export interface FoundReservation {
  readonly stream: string;
  readonly revision: number | 'none';
  /** Another resource holds the name. */
  readonly taken: boolean;
}

/** What is found of a name that nobody ever held. */
export function neverHeld(workspaceId: string, { category, name }: Reservation): FoundReservation {
  return { stream: reservationStream(workspaceId, category, name), revision: 'none', taken: false };
}

/** Where the reservation stream stands, and whether another resource holds the name. */
export async function lookUpReservation(
  store: EventStore,
  workspaceId: string,
  wanted: Reservation,
  now: number,
): Promise<FoundReservation> {
  const stream = reservationStream(workspaceId, wanted.category, wanted.name);
  const [last] = await store.readStream(stream, { direction: 'backward', limit: 1 });
  if (last === undefined) return { stream, revision: 'none', taken: false };
  const { holder } = last.data as NameReserved['data'];
  return {
    stream,
    revision: last.revision,
    taken: holder !== wanted.holder && (await stands(store, last, wanted, now)),
  };
}

async function stands(store: EventStore, last: RecordedEvent, wanted: Reservation, now: number): Promise<boolean> {
  const { holder, name } = last.data as NameReserved['data'];
  const events = await store.readStream(holder);
  if (wanted.holds(events, name)) return true;
  const wasTaken = events.some((event) => event.metadata.commandId === last.metadata.commandId);
  return !wasTaken && now - Date.parse(last.metadata.at) < settlesWithinMs;
}
