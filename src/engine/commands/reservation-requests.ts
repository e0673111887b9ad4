import type { DomainEvent, NewEvent } from '../../kernel/event/event.js';
import type { Clock } from '../../ports/clock.port.js';
import type { AppendRequest } from '../../ports/event-store.port.js';
import type { OperationContext } from '../operation/operation-context.js';
import type { PersonalData } from '../personal-data/personal-data.js';
import {
  keyedReservation,
  type Log,
  lookUpReservation,
  neverReserved,
  type Reservation,
  wasAnothers,
} from './reservation.js';

export interface RequestedName {
  readonly reservation: Reservation;
  taken(): never;
  /** If omitted, a name that another record had in the past may be reserved. */
  usedBefore?(): never;
}

interface Names extends Log {
  readonly personal: PersonalData;
  readonly clock: Clock;
}

/** @throws Refusal for a name that another record has or, if `usedBefore` is given, had in the past */
export async function reservationsOf(
  names: Names,
  call: OperationContext,
  requested: readonly RequestedName[],
  attempt: number,
  fresh: (event: DomainEvent, idSuffix: string) => NewEvent,
): Promise<readonly AppendRequest[]> {
  // Names are checked in sequence, so that the refusal is about the first name that is taken.
  const requests = new Map<string, AppendRequest>();
  for (const one of requested) {
    const request = await requestOf(names, call, one, attempt, fresh);
    if (requests.has(request.stream)) one.taken();
    requests.set(request.stream, request);
  }
  return [...requests.values()];
}

async function requestOf(
  names: Names,
  { workspaceId }: OperationContext,
  { reservation: plain, taken, usedBefore }: RequestedName,
  attempt: number,
  fresh: (event: DomainEvent, idSuffix: string) => NewEvent,
): Promise<AppendRequest> {
  const now = names.clock.now();
  const reservation = plain.personal
    ? keyedReservation(plain, (name) => names.personal.keyed(workspaceId, plain.category, name))
    : plain;
  // Older versions recorded these names in the clear, so that form is looked up too.
  if (plain.personal === 'plain before' && (await lookUpReservation(names, workspaceId, plain, now)).taken) taken();
  // Most names are new, so the first attempt appends without a lookup. If the name exists, the append conflicts and is
  // tried again.
  const found =
    attempt === 0
      ? neverReserved(workspaceId, reservation)
      : await lookUpReservation(names, workspaceId, reservation, now);
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
