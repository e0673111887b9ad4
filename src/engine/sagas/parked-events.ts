import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import type { Document, Projection } from '../../kernel/record/projection.js';
import type { Build, ReadStore, Write } from '../../ports/read-store.port.js';

/** An event that a saga failed to handle, or a later event of the same subject, which waits for it. */
export interface ParkedEvent extends Document {
  readonly saga: string;
  readonly subject: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  /** Contains no customer data. Null if the event only waits for an earlier one. */
  readonly reason: string | null;
  readonly tries: number;
  /** `since` and `againAt` are in ISO 8601. */
  readonly since: string;
  readonly againAt: string | null;
}

/**
 * The build in the read store that contains a saga's checkpoint and its parked events, so that both change in one
 * commit.
 */
export const sagaBuild = (saga: string): Build => ({ projection: `saga:${saga}`, generation: 'live' });

const collectionOf = (saga: string) => `parked.${saga}`;

const collectionsOf = (saga: string): Projection['collections'] => ({ [collectionOf(saga)]: { indexes: [] } });

export async function prepareParking(store: ReadStore, saga: string): Promise<void> {
  const build = sagaBuild(saga);
  await store.prepare(build, collectionsOf(saga));
  if ((await store.active(build.projection)) !== build.generation) await store.activate(build, collectionsOf(saga));
}

export async function parkedOf(store: ReadStore, saga: string): Promise<readonly ParkedEvent[]> {
  if ((await store.active(sagaBuild(saga).projection)) === undefined) return [];
  const found = await store.find<ParkedEvent>(collectionOf(saga), { where: {} });
  return found.toSorted((a, b) => a.position - b.position);
}

export interface Fault {
  readonly reason: string;
  readonly tries: number;
  readonly againAt: string;
}

export class ParkedEvents {
  private readonly subjects = new Map<string, ParkedEvent[]>();
  /**
   * Positions of parked events that were stored although the commit of the checkpoint failed. These events are
   * delivered again.
   */
  private readonly interrupted: Set<number>;
  private writes = new Map<string, Write>();

  constructor(
    private readonly saga: string,
    stored: readonly ParkedEvent[],
    checkpoint: number,
  ) {
    this.interrupted = new Set(stored.filter(({ position }) => position > checkpoint).map(({ position }) => position));
    for (const event of stored) if (event.position <= checkpoint) this.listOf(event.subject).push(event);
  }

  has(subject: string): boolean {
    return this.subjects.has(subject);
  }

  /** In log order. The first event has failed; the rest wait for it. */
  eventsOf(subject: string): readonly ParkedEvent[] {
    return this.subjects.get(subject) ?? [];
  }

  get first(): readonly ParkedEvent[] {
    return [...this.subjects.values()].flatMap(([first]) => (first === undefined ? [] : [first]));
  }

  get all(): readonly ParkedEvent[] {
    return [...this.subjects.values()].flat();
  }

  passed(event: RecordedEvent): void {
    if (this.interrupted.delete(event.position)) this.remove(event.position);
  }

  /** Without `fault`, the event has not been tried and waits for an earlier one. */
  add(event: RecordedEvent, subject: string, at: string, fault?: Fault): void {
    const { type, stream, revision, position } = event;
    const { reason = null, tries = 0, againAt = null } = fault ?? {};
    const where = { saga: this.saga, subject, type, stream, revision, position };
    const entry = { id: String(position), workspaceId: parseStream(stream).workspaceId, ...where };
    const parked: ParkedEvent = { ...entry, reason, tries, since: at, againAt };
    this.interrupted.delete(position);
    this.listOf(subject).push(parked);
    this.put(parked, position);
  }

  failed(parked: ParkedEvent, fault: Fault, checkpoint: number): void {
    const next = { ...parked, ...fault };
    const list = this.listOf(parked.subject);
    list.splice(list.indexOf(parked), 1, next);
    this.put(next, checkpoint);
  }

  done(parked: ParkedEvent): void {
    const list = this.listOf(parked.subject);
    list.splice(list.indexOf(parked), 1);
    if (list.length === 0) this.subjects.delete(parked.subject);
    this.remove(parked.position);
  }

  get unwritten(): readonly Write[] {
    return [...this.writes.values()];
  }

  committed(): void {
    this.writes = new Map();
  }

  private put(document: ParkedEvent, position: number): void {
    this.writes.set(document.id, { kind: 'put', collection: collectionOf(this.saga), document, position });
  }

  private remove(position: number): void {
    const id = String(position);
    this.writes.set(id, { kind: 'remove', collection: collectionOf(this.saga), id });
  }

  private listOf(subject: string): ParkedEvent[] {
    const known = this.subjects.get(subject);
    if (known !== undefined) return known;
    const made: ParkedEvent[] = [];
    this.subjects.set(subject, made);
    return made;
  }
}
