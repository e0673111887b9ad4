import type { Index, Projection, Where } from '../../kernel/record/projection.js';
import type { Build, ReadStore, Watched } from '../../ports/read-store.port.js';

type Collections = Projection['collections'];

/**
 * A build that is at least this far behind creates its indexes last. Measured in log positions: events in the embedded
 * log, bytes in EventStoreDB.
 */
const longHistory = 20_000;

/**
 * Most indexes are created after all documents, because maintaining them during the build would be most of its work.
 * Only indexes with `ascends` are created at the beginning. An index that a removal by condition needs is created at
 * the first such removal; otherwise each removal would scan all documents.
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

  async begin(): Promise<void> {
    for (const [name, { indexes }] of Object.entries(this.collections)) {
      this.made.set(
        name,
        indexes.filter(({ ascends }) => ascends),
      );
    }
    await this.prepare();
  }

  async beforeRemoval(collection: string, where: Where): Promise<void> {
    const index = bestFor(where, this.collections[collection]?.indexes ?? []);
    const made = this.made.get(collection) ?? [];
    if (index === undefined || made.includes(index)) return;
    this.made.set(collection, [...made, index]);
    await this.prepare();
  }

  async end(): Promise<void> {
    for (const [name, { indexes }] of Object.entries(this.collections)) this.made.set(name, indexes);
    await this.prepare();
  }

  /** Calls of the store's `prepare` run one after another, because each drops the indexes that it does not name. */
  private prepare(): Promise<void> {
    const some = Object.entries(this.collections).map(([name, declared]) => {
      const indexes = this.made.get(name) ?? [];
      return [name, { ...declared, indexes, later: declared.indexes.filter((index) => !indexes.includes(index)) }];
    });
    this.preparing = this.preparing
      .catch(() => undefined)
      .then(() => this.store.prepare(this.build, Object.fromEntries(some), this.watched));
    return this.preparing;
  }
}

function bestFor(where: Where, indexes: readonly Index[]): Index | undefined {
  const named = ({ fields }: Index) => {
    const first = fields.findIndex((field) => !(field in where));
    return first < 0 ? fields.length : first;
  };
  const [best] = [...indexes].sort((a, b) => named(b) - named(a));
  return best !== undefined && named(best) > 0 ? best : undefined;
}
