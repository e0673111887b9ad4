import type { DomainEvent, NewEvent } from '../../kernel/event/event.js';
import type { Clock } from '../../ports/clock.port.js';
import type { AppendRequest } from '../../ports/event-store.port.js';
import type { Call } from '../operation/call.js';
import type { PersonalData } from '../personal-data/personal-data.js';
import {
  keyedReservation,
  type Log,
  lookUpReservation,
  neverHeld,
  type Reservation,
  wasAnothers,
} from './reservation.js';

export interface WantedName {
  readonly reservation: Reservation;
  /** The refusal when another holds it. */
  taken(): never;
  /** The refusal when another went by it before; left out: that one gave it up, and it may be taken. */
  usedBefore?(): never;
}

interface Names extends Log {
  readonly personal: PersonalData;
  readonly clock: Clock;
}

/** What is appended so that a change takes its names. @throws Refusal for a name that another holds */
export async function reservationsOf(
  names: Names,
  call: Call,
  wanted: readonly WantedName[],
  attempt: number,
  fresh: (event: DomainEvent, place: string) => NewEvent,
): Promise<readonly AppendRequest[]> {
  // One after the other, so that of several names that are taken the first is refused.
  const requests = new Map<string, AppendRequest>();
  for (const one of wanted) {
    const request = await requestOf(names, call, one, attempt, fresh);
    // Another record that this command changes wants the same name.
    if (requests.has(request.stream)) one.taken();
    requests.set(request.stream, request);
  }
  return [...requests.values()];
}

async function requestOf(
  names: Names,
  { workspaceId }: Call,
  { reservation: plain, taken, usedBefore }: WantedName,
  attempt: number,
  fresh: (event: DomainEvent, place: string) => NewEvent,
): Promise<AppendRequest> {
  const now = names.clock.now();
  const reservation = plain.personal
    ? keyedReservation(plain, (name) => names.personal.keyed(workspaceId, plain.category, name))
    : plain;
  // Older versions reserved such names as they are.
  if (plain.personal === 'plain before' && (await lookUpReservation(names, workspaceId, plain, now)).taken) taken();
  // Most names were never held: the first attempt goes by that, and losing it costs nothing but a look.
  const found =
    attempt === 0 ? neverHeld(workspaceId, reservation) : await lookUpReservation(names, workspaceId, reservation, now);
  if (found.taken) taken();
  const isNew = usedBefore === undefined || found.revision === 'none';
  if (!isNew && (await wasAnothers(names, workspaceId, reservation))) usedBefore();
  const data = { name: reservation.name, holder: reservation.holder };
  return {
    stream: found.stream,
    expected: found.revision,
    events: [fresh({ type: 'NameReserved', data }, found.stream)],
  };
}
