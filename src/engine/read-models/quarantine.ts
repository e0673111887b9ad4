import { Logger } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import type { Document, Projection } from '../../kernel/record/projection.js';
import type { Build, ReadStore, Write } from '../../ports/read-store.port.js';
import { faultReason } from '../cluster/fault-reason.js';

/** An event that could not be applied to a document. The document retains the state before the event. */
export interface MissedEvent {
  readonly type: string;
  readonly stream: string;
  readonly position: number;
}

type MarkedDocument = Document & { readonly setAside?: MissedEvent };

export const quarantinedEvent = (document: Document | undefined): MissedEvent | undefined =>
  (document as MarkedDocument | undefined)?.setAside;

/** The quarantine mark is not part of the record. */
export function withoutMark<D extends Document>(document: D): D {
  const { setAside, ...rest } = document as D & MarkedDocument;
  return setAside === undefined ? document : (rest as unknown as D);
}

function marked(document: Document, { type, stream, position }: RecordedEvent): MarkedDocument {
  return { ...document, setAside: { type, stream, position } };
}

/** Returns whether a record has no document because its first event or the whole stream is quarantined. */
export async function hasNoDocument(store: ReadStore, { projection, generation }: Build, stream: string) {
  if ((await store.active(buildOf(projection).projection)) === undefined) return false;
  const keys = [streamKey(generation, stream), documentKey(generation, projection, parseStream(stream).id)];
  return (await store.load(buildOf(projection), collectionOf(projection), keys)).size > 0;
}

interface Mark extends Document, MissedEvent {
  readonly generation: string;
  readonly reason: string;
}

const buildOf = (projection: string): Build => ({ projection: `set-aside:${projection}`, generation: 'live' });
const collectionOf = (projection: string) => `set-aside.${projection}`;
const collectionsOf = (projection: string): Projection['collections'] => ({
  [collectionOf(projection)]: { indexes: [] },
});

const nowhere = -1;

/**
 * Marks documents to which an event could not be applied, and streams with an event that could not be read. Later
 * events of these documents and streams have no effect; everything else continues. A new build starts without marks, so
 * a fixed version applies the events if it can.
 */
export class Quarantine {
  private readonly log = new Logger('ReadModels');
  private readonly marks = new Map<string, number>();
  private unwritten: Mark[] = [];

  constructor(
    private readonly projection: Projection,
    private readonly build: Build,
    private readonly store: ReadStore,
  ) {}

  get count(): number {
    return new Set(this.marks.values()).size;
  }

  /** If the build has no checkpoint, the marks belong to an earlier build of the same name and are removed. */
  async load(checkpoint: number): Promise<void> {
    const { name } = this.projection;
    this.marks.clear();
    if ((await this.store.active(buildOf(name).projection)) === undefined) return;
    const where = { generation: this.build.generation };
    const found = await this.store.find<Mark>(collectionOf(name), { where });
    if (checkpoint >= 0) for (const { id, position } of found) this.marks.set(id, position);
    else await this.write(found.map(({ id }) => ({ kind: 'remove', collection: collectionOf(name), id })));
  }

  passesOver({ stream, position }: RecordedEvent): boolean {
    return this.marks.size > 0 && this.isAfter(this.keyOfStream(stream), position);
  }

  holdsBack(collection: string, id: string, position: number): boolean {
    return this.marks.size > 0 && this.isAfter(this.keyOf(collection, id), position);
  }

  stream(event: RecordedEvent, error: unknown): void {
    this.add(this.keyOfStream(event.stream), event, error);
  }

  document(collection: string, before: Document | undefined, id: string, event: RecordedEvent, error: unknown) {
    this.add(this.keyOf(collection, id), event, error);
    return before === undefined ? undefined : marked(before, event);
  }

  /**
   * Must be called before the changes of the same batch are committed, so that the marks are found if the batch is
   * repeated after a crash.
   */
  async save(): Promise<void> {
    if (this.unwritten.length === 0) return;
    const { name } = this.projection;
    await this.store.prepare(buildOf(name), collectionsOf(name));
    if ((await this.store.active(buildOf(name).projection)) === undefined) {
      await this.store.activate(buildOf(name), collectionsOf(name));
    }
    const collection = collectionOf(name);
    await this.write(this.unwritten.map((document) => ({ kind: 'put', collection, document, position: nowhere })));
    this.unwritten = [];
  }

  private add(key: string, event: RecordedEvent, error: unknown): void {
    if (this.marks.has(key)) return;
    const { type, stream, position } = event;
    const { workspaceId } = parseStream(stream);
    const reason = faultReason(error);
    this.marks.set(key, position);
    const { generation } = this.build;
    this.unwritten.push({ id: key, workspaceId, generation, type, stream, position, reason });
    this.log.error(
      `The read model '${this.projection.name}' could not process ${type} of ${stream} at ${position}: ${reason}. That ` +
        'record keeps its previous state; all others are processed. Rebuild the read model with a version that can process the event.',
    );
  }

  private async write(writes: readonly Write[]): Promise<void> {
    const written = this.store.commit(buildOf(this.projection.name), nowhere, nowhere, writes);
    this.store.flushSoon();
    await written;
  }

  private isAfter(key: string, position: number): boolean {
    return position > (this.marks.get(key) ?? Number.POSITIVE_INFINITY);
  }

  private keyOf(collection: string, id: string): string {
    return documentKey(this.build.generation, collection, id);
  }

  private keyOfStream(stream: string): string {
    return streamKey(this.build.generation, stream);
  }
}

const documentKey = (generation: string, collection: string, id: string) =>
  `${generation}/document/${collection}/${wellFormed(id)}`;
const streamKey = (generation: string, stream: string) => `${generation}/stream/${wellFormed(stream)}`;
/** Marks are documents, and ids of documents must be well-formed. */
const wellFormed = (text: string) => (text.isWellFormed() ? text : JSON.stringify(text));
