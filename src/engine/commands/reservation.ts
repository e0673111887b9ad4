import { hash } from 'node:crypto';
import type { DomainEvent, RecordedEvent } from '../../kernel/event/event.js';
import { streamOf } from '../../kernel/event/stream-name.js';
import type { Document } from '../../kernel/record/projection.js';
import type { RecordAggregate } from '../../kernel/record/record.js';
import type { EventStore } from '../../ports/event-store.port.js';
import type { AggregateLoader } from './aggregate-loader.js';

/**
 * A name that only one record of a kind can have at a time. Each name has a stream of its own, so that concurrent
 * writers conflict. A reservation is never released; it is ignored once the holder has another name or no longer
 * exists.
 */
export interface Reservation {
  readonly category: string;
  readonly name: string;
  readonly holder: string;
  readonly aggregate: RecordAggregate<Document, DomainEvent>;
  /**
   * If not false, the stream contains only a keyed digest of the name. `plain before` means that older versions
   * recorded the name in the clear.
   */
  readonly personal: boolean | 'plain before';
  /**
   * `service` makes the name unique across all workspaces; stream names then contain this word instead of the workspace
   * id.
   */
  readonly among?: 'service' | undefined;
  /** Returns the name that the record has now. The personal data of `resource` is in the clear. */
  nameOf(resource: Document): string | undefined;
}

export function uniqueName<Doc extends Document, Event extends DomainEvent>(
  category: string,
  aggregate: RecordAggregate<Doc, Event>,
  nameOf: (resource: Doc) => string | undefined,
  { personal = false, among }: { readonly personal?: Reservation['personal']; readonly among?: 'service' } = {},
): (name: string, holder: string) => Reservation {
  const declared = { category, aggregate, personal, among, nameOf } as unknown as Omit<Reservation, 'name' | 'holder'>;
  return (name, holder) => ({ ...declared, name, holder });
}

/** Returns the form in which a name is reserved if it must be unique only within its project. */
export const inProject = (projectId: string, name: string): string => `${projectId} ${name}`;

export interface NameReserved {
  readonly type: 'NameReserved';
  readonly data: { readonly name: string; readonly holder: string };
}

/**
 * In milliseconds. If a writer has not recorded its resource within this time after it reserved the name, it never
 * will.
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

/** Neither the name of the stream nor its events reveal the reserved name. */
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
 * Whether the holder of the name was recorded too. The name is reserved first, and the writer can crash before it
 * records the holder.
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
  // Without a transaction, the record is written after its name, so it may have been written since the first call of
  // `hasName`.
  return !(await isRecorded(loader, last)) || hasName();
}
