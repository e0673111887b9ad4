import { BoundedCache } from '../../kernel/bounded-cache.js';
import type { Build, PositionedDocument, ReadStore, Write } from '../../ports/read-store.port.js';
import { atMostBytes } from '../read-models/document-size-limit.js';

const mostRemembered = 64 * 1024 * 1024;

const nameOf = (collection: string, id: string) => `${collection}\n${id}`;

/** Loads documents as they will be after the latest writes, while these are still being committed. */
export class PendingWrites {
  private pending = new Map<string, PositionedDocument | undefined>();
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
      const known = this.pending.has(name) ? this.pending.get(name) : this.remembered.get(name);
      if (known !== undefined) documents.set(id, known);
      else if (!this.pending.has(name)) stored.push(id);
    }
    if (stored.length === 0) return documents;
    const found = await this.store.load(build, collection, stored);
    if (documents.size === 0) return found;
    for (const [id, one] of found) documents.set(id, one);
    return documents;
  }

  /**
   * Returns false if the writes remove documents by condition; no documents may then be loaded until the writes are
   * done.
   */
  begin(writes: readonly Write[]): boolean {
    this.pending = new Map();
    if (!this.remembers()) this.remembered = remembering();
    if (writes.some(({ kind }) => kind === 'removeWhere')) {
      this.forget();
      return false;
    }
    for (const write of writes) {
      if (write.kind === 'put') this.put(write);
      else if (write.kind === 'remove') this.removed(nameOf(write.collection, write.id));
    }
    return true;
  }

  /** Must be called after a failed write, and when another process may have written. */
  forget(): void {
    this.pending = new Map();
    this.remembered = remembering();
  }

  private put(write: Extract<Write, { kind: 'put' }>): void {
    const name = nameOf(write.collection, write.document.id);
    this.pending.set(name, write);
    // In a long history, most documents are written only once, so a document is cached only from its second write on.
    const isNew = write.over === null || write.over === undefined;
    if (this.remembers() && !isNew) this.remembered.set(name, write);
    else if (this.remembered.get(name) !== undefined) this.remembered = remembering();
  }

  private removed(name: string): void {
    this.pending.set(name, undefined);
    if (this.remembered.get(name) !== undefined) this.remembered = remembering();
  }
}

const remembering = () => new BoundedCache<PositionedDocument>(mostRemembered, ({ document }) => atMostBytes(document));
