import { hash } from 'node:crypto';
import type { DomainEvent, RecordedEvent } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import type { EventStore } from '../../ports/event-store.port.js';
import type { AggregateLoader } from './aggregate-loader.js';

/**
 * A name that only one record of a kind may have at a time, e.g. the function name 'Orders' reserved by `fn_1`. Each
 * name has a stream of its own, so that concurrent writers conflict. A reservation is never released. It is ignored
 * once its holder has another name or no longer exists.
 */
export interface Reservation {
  readonly category: string;
  readonly name: string;
  /** Stream of the record that reserves the name. */
  readonly holder: string;
  readonly aggregate: RecordAggregate<Document, DomainEvent>;
  /**
   * Whether the name is personal data; the stream then contains only its keyed digest. `plain before` means that older
   * versions recorded the name in the clear.
   */
  readonly personal: boolean | 'plain before';
  /**
   * `service` makes the name unique across all workspaces; stream names then contain this word instead of the workspace
   * id. If omitted, the name is unique in its workspace.
   */
  readonly among?: 'service' | undefined;
  /**
   * Returns the record's current name in the normalised form that must be unique, or undefined if it has no name. Gets
   * the record with its personal data in the clear.
   */
  nameOf(resource: Document): string | undefined;
}

/** Declares a unique name of a kind of record. The returned function creates the reservation of a name. */
export function uniqueName<Doc extends Document, Event extends DomainEvent>(
  category: string,
  aggregate: RecordAggregate<Doc, Event>,
  nameOf: (resource: Doc) => string | undefined,
  { personal = false, among }: { readonly personal?: Reservation['personal']; readonly among?: 'service' } = {},
): (name: string, holder: string) => Reservation {
  const declared = { category, aggregate, personal, among, nameOf } as unknown as Omit<Reservation, 'name' | 'holder'>;
  return (name, holder) => ({ ...declared, name, holder });
}

/** Returns the text to reserve for a name that must be unique only within its project. */
export const inProject = (projectId: string, name: string): string => `${projectId} ${name}`;

export interface NameReserved {
  readonly type: 'NameReserved';
  readonly data: { readonly name: string; readonly holder: string };
}

/**
 * Time, in milliseconds, within which a writer that reserved a name records its resource. If it has not done so by
 * then, it never will.
 */
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

/**
 * Replaces the name in a reservation by a keyed digest, so that neither the stream's name nor its events reveal the
 * name.
 */
export function keyedReservation(reservation: Reservation, digest: (name: string) => string): Reservation {
  const { name, nameOf } = reservation;
  const digestOf = (resource: Document) => {
    const plain = nameOf(resource);
    return plain === undefined ? undefined : digest(plain);
  };
  return { ...reservation, name: digest(name), nameOf: digestOf };
}

export function neverReserved(workspaceId: string, { among, category, name }: Reservation): FoundReservation {
  return { stream: reservationStream(among ?? workspaceId, category, name), revision: 'none', taken: false };
}

/** Returns the revision of the reservation's stream, and whether another resource has the name. */
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

/**
 * Whether the last record that had the name is a record other than `reservation.holder`. That record may have a
 * different name now.
 */
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

/**
 * Whether the record that reserved the name with this event was written. The name is reserved first, and the writer may
 * crash before it writes the record.
 */
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
  // The record may have been written since `hasName` was first called, because without a transaction it is written
  // after its name.
  return !(await isRecorded(loader, last)) || hasName();
}
