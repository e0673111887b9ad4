import type { Index, Projection, Where } from '../../kernel/record/projection.js';
import type { Build, ReadStore, Watched } from '../../ports/read-store.port.js';

type Collections = Projection['collections'];

/** Positions: events embedded, bytes on EventStoreDB. With fewer to take in, indexes are made first. */
const longHistory = 20_000;

/**
 * The indexes of a build that queries do not read yet and that has a long history to take in: they are made when all
 * documents are there, because maintaining them meanwhile would be most of the work. Only what removals look up is
 * indexed as soon as the first of them comes, because each would else go through all documents.
 */
export class BulkIndexes {
  private readonly made = new Map<string, readonly Index[]>();
  private preparing: Promise<void> = Promise.resolve();

  constructor(
    private readonly collections: Collections,
    private readonly build: Build,
    private readonly store: ReadStore,
    private readonly watched: Watched | undefined,
  ) {}

  static pays(checkpoint: number, upTo: number): boolean {
    return upTo - checkpoint >= longHistory;
  }

  /** Drops indexes that a process before this one has made. */
  async begin(): Promise<void> {
    this.made.clear();
    await this.prepare();
  }

  async beforeRemoval(collection: string, where: Where): Promise<void> {
    const index = bestFor(where, this.collections[collection]?.indexes ?? []);
    const made = this.made.get(collection) ?? [];
    if (index === undefined || made.includes(index)) return;
    this.made.set(collection, [...made, index]);
    await this.prepare();
  }

  /** Makes all that are declared. Removals may come meanwhile. */
  async end(): Promise<void> {
    for (const [name, { indexes }] of Object.entries(this.collections)) this.made.set(name, indexes);
    await this.prepare();
  }

  /** One after the other, because each may drop what it does not name. */
  private prepare(): Promise<void> {
    const some = Object.entries(this.collections).map(([name, declared]) => [
      name,
      { ...declared, indexes: this.made.get(name) ?? [] },
    ]);
    this.preparing = this.preparing
      .catch(() => undefined)
      .then(() => this.store.prepare(this.build, Object.fromEntries(some), this.watched));
    return this.preparing;
  }
}

/** The index of which the condition names the most fields from the left. */
function bestFor(where: Where, indexes: readonly Index[]): Index | undefined {
  const named = ({ fields }: Index) => {
    const first = fields.findIndex((field) => !(field in where));
    return first < 0 ? fields.length : first;
  };
  const [best] = [...indexes].sort((a, b) => named(b) - named(a));
  return best !== undefined && named(best) > 0 ? best : undefined;
}
