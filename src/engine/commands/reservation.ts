import { hash } from 'node:crypto';
import type { DomainEvent, RecordedEvent } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import type { EventStore } from '../../ports/event-store.port.js';
import type { AggregateLoader } from './aggregate-loader.js';

/**
 * A name that only one resource may have at a time: `functionName` + 'Orders' → `fn_1`. It has its own stream, where
 * concurrent writers conflict. Names are never released: a reservation whose holder no longer has the name is simply
 * outdated.
 */
export interface Reservation {
  readonly category: string;
  readonly name: string;
  /** Stream of the resource that reserves the name. */
  readonly holder: string;
  readonly aggregate: RecordAggregate<Document, DomainEvent>;
  /** The name is personal data: it is recorded as a keyed digest. `plain before`: older versions recorded it as it is. */
  readonly personal: boolean | 'plain before';
  /**
   * `service`: unique among all workspaces, whose id it replaces in stream names. Left out: unique in its workspace.
   */
  readonly among?: 'service' | undefined;
  /**
   * The resource's current name, normalised to the form that must be unique; undefined when it has none. The resource's
   * personal data is in the clear.
   */
  nameOf(resource: Document): string | undefined;
}

/** Declares how resources of a kind reserve their names. */
export function uniqueName<Doc extends Document, Event extends DomainEvent>(
  category: string,
  aggregate: RecordAggregate<Doc, Event>,
  nameOf: (resource: Doc) => string | undefined,
  { personal = false, among }: { readonly personal?: Reservation['personal']; readonly among?: 'service' } = {},
): (name: string, holder: string) => Reservation {
  const declared = { category, aggregate, personal, among, nameOf } as unknown as Omit<Reservation, 'name' | 'holder'>;
  return (name, holder) => ({ ...declared, name, holder });
}

/** A name that is unique in its project. */
export const inProject = (projectId: string, name: string): string => `${projectId} ${name}`;

export interface NameReserved {
  readonly type: 'NameReserved';
  readonly data: { readonly name: string; readonly holder: string };
}

/** A writer records its resource within this time of reserving the name, or never. */
const settlesWithinMs = 60_000;

export function reservationStream(workspaceId: string, category: string, name: string): string {
  return streamOf(category, workspaceId, hash('sha256', name, 'hex').slice(0, 40));
}

export interface FoundReservation {
  readonly stream: string;
  readonly revision: number | 'none';
  readonly taken: boolean;
}

export interface Log {
  readonly store: EventStore;
  readonly loader: AggregateLoader;
  opened(workspaceId: string, resource: Document): Promise<Document>;
}

/** A reservation under a keyed digest of its name, so that neither the stream's name nor its events reveal it. */
export function keyedReservation(reservation: Reservation, digest: (name: string) => string): Reservation {
  const { name, nameOf } = reservation;
  const digestOf = (resource: Document) => {
    const plain = nameOf(resource);
    return plain === undefined ? undefined : digest(plain);
  };
  return { ...reservation, name: digest(name), nameOf: digestOf };
}

export function neverHeld(workspaceId: string, { among, category, name }: Reservation): FoundReservation {
  return { stream: reservationStream(among ?? workspaceId, category, name), revision: 'none', taken: false };
}

/** The revision of the reservation stream, and whether another resource has the name. */
export async function lookUpReservation(
  { store, loader, opened }: Log,
  workspaceId: string,
  reservation: Reservation,
  now: number,
): Promise<FoundReservation> {
  const stream = reservationStream(reservation.among ?? workspaceId, reservation.category, reservation.name);
  const [last] = await store.readStream(stream, { direction: 'backward', limit: 1 });
  if (last === undefined) return { stream, revision: 'none', taken: false };
  const { holder } = last.data as NameReserved['data'];
  return {
    stream,
    revision: last.revision,
    taken: holder !== reservation.holder && (await isInUse({ loader, opened }, last, reservation, now)),
  };
}

/** Whether the last recorded holder of the name is another resource, whatever its name is now. */
export async function wasAnothers(
  { store, loader }: Omit<Log, 'opened'>,
  workspaceId: string,
  reservation: Reservation,
): Promise<boolean> {
  const stream = reservationStream(reservation.among ?? workspaceId, reservation.category, reservation.name);
  for (const one of await store.readStream(stream, { direction: 'backward' })) {
    const { holder } = one.data as NameReserved['data'];
    if (holder === reservation.holder) return false;
    if (await isRecorded(loader, one)) return true;
  }
  return false;
}

/** The name is reserved before its resource is recorded; the writer may crash in between. */
function isRecorded(loader: AggregateLoader, { data, metadata, position }: RecordedEvent): Promise<boolean> {
  return loader.recordedBy((data as NameReserved['data']).holder, metadata.commandId, position);
}

async function isInUse(
  { loader, opened }: Omit<Log, 'store'>,
  last: RecordedEvent,
  reservation: Reservation,
  now: number,
): Promise<boolean> {
  const { holder, name } = last.data as NameReserved['data'];
  const hasName = async () => {
    const { state } = await loader.load(reservation.aggregate, holder);
    const resource = state && reservation.personal ? await opened(state.workspaceId, state) : state;
    return resource !== undefined && reservation.nameOf(resource) === name;
  };
  if (await hasName()) return true;
  if (now - Date.parse(last.metadata.at) >= settlesWithinMs) return false;
  // It may have been recorded since the first check: without a transaction, the holder comes second.
  return !(await isRecorded(loader, last)) || hasName();
}
