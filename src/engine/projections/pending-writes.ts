import { BoundedCache } from '../../kernel/bounded-cache.js';
import type { Build, PositionedDocument, ReadStore, Write } from '../../ports/read-store.port.js';
import { atMostBytes } from '../read-models/document-size-limit.js';

const mostRemembered = 64 * 1024 * 1024;

const nameOf = (collection: string, id: string) => `${collection}\n${id}`;

type Pending = ReadonlyMap<string, PositionedDocument | undefined>;

/** Loads documents as they will be after the latest writes, while these are still being committed. */
export class PendingWrites {
  /** Documents of the last two rounds, the latest round first. `undefined` means that the document is removed. */
  private pending: readonly Pending[] = [];
  private remembered = remembering();

  /** @param remembers returns true if documents that were changed more than once stay cached */
  constructor(
    private readonly store: Pick<ReadStore, 'load'>,
    private readonly remembers: () => boolean,
  ) {}

  async load(
    build: Build,
    collection: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, PositionedDocument>> {
    const documents = new Map<string, PositionedDocument>();
    const stored: string[] = [];
    for (const id of ids) {
      const name = nameOf(collection, id);
      const round = this.pending.find((one) => one.has(name));
      const known = round === undefined ? this.remembered.get(name) : round.get(name);
      if (known !== undefined) documents.set(id, known);
      else if (round === undefined) stored.push(id);
    }
    if (stored.length === 0) return documents;
    const found = await this.store.load(build, collection, stored);
    if (documents.size === 0) return found;
    for (const [id, one] of found) documents.set(id, one);
    return documents;
  }

  /**
   * Must be called when the writes of a round are about to be committed; the round before the previous one must be
   * committed by then. Returns false if the writes remove documents by condition; no documents may then be loaded until
   * the writes are done.
   */
  begin(writes: readonly Write[]): boolean {
    if (!this.remembers()) this.remembered = remembering();
    if (writes.some(({ kind }) => kind === 'removeWhere')) {
      this.forget();
      return false;
    }
    const round = new Map<string, PositionedDocument | undefined>();
    for (const write of writes) {
      if (write.kind === 'put') this.put(write, round);
      else if (write.kind === 'remove') this.remove(nameOf(write.collection, write.id), round);
    }
    this.pending = [round, ...this.pending].slice(0, 2);
    return true;
  }

  /** Must be called when all writes have been committed. */
  written(): void {
    this.pending = [];
    if (!this.remembers()) this.remembered = remembering();
  }

  /** Must be called after a failed write, and when another process may have written. */
  forget(): void {
    this.pending = [];
    this.remembered = remembering();
  }

  private put(write: Extract<Write, { kind: 'put' }>, round: Map<string, PositionedDocument | undefined>): void {
    const name = nameOf(write.collection, write.document.id);
    round.set(name, write);
    // In a long history, most documents are written only once, so a document is cached only from its second write on.
    const isNew = write.over === null || write.over === undefined;
    if (this.remembers() && !isNew) this.remembered.set(name, write);
    else if (this.remembered.get(name) !== undefined) this.remembered = remembering();
  }

  private remove(name: string, round: Map<string, PositionedDocument | undefined>): void {
    round.set(name, undefined);
    if (this.remembered.get(name) !== undefined) this.remembered = remembering();
  }
}

const remembering = () => new BoundedCache<PositionedDocument>(mostRemembered, ({ document }) => atMostBytes(document));
