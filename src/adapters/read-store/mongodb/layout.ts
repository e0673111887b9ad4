import type { Collection, Filter, UpdateFilter } from 'mongodb';
import type { MongoConnection } from '../../mongodb/mongo-connection.js';
import { projectionsName } from './names.js';

/** A single document per projection, so every change is atomic. */
export interface ProjectionRecord {
  readonly _id: string;
  readonly active?: string;
  readonly builds?: Readonly<Record<string, BuildLayout>>;
}

export interface BuildLayout {
  readonly collections: readonly string[];
  readonly searchable?: readonly SearchableCollection[];
  readonly members?: readonly BuildMember[];
  /** Set while the build is being discarded. Some of its documents might already be removed. */
  readonly leaving?: boolean;
}

export interface SearchableCollection {
  readonly collection: string;
  readonly members: readonly string[];
}

export interface BuildMember {
  readonly projection: string;
  readonly generation: string;
}

/** Longest time, in milliseconds, until this process notices another process's change. */
const cachedMs = 500;

interface Reading {
  readonly keepers: readonly ProjectionRecord[];
  readonly startedAt: number;
}

/** Only `recent` reads from the cache, which is half a second old at most. */
export class Layout {
  private known: Reading | undefined;
  private running: Promise<Reading> | undefined;
  private next: Promise<Reading> | undefined;

  private readonly collection: Collection<ProjectionRecord>;

  constructor(private readonly connection: MongoConnection) {
    this.collection = connection.collection<ProjectionRecord>(projectionsName);
  }

  async keeper(projection: string): Promise<ProjectionRecord | undefined> {
    return (await this.collection.findOne({ _id: projection }, this.connection.reads)) ?? undefined;
  }

  async change(
    filter: Filter<ProjectionRecord>,
    update: UpdateFilter<ProjectionRecord>,
    options: { upsert?: boolean } = {},
  ) {
    try {
      const { matchedCount, upsertedCount } = await this.connection.write((session) =>
        this.collection.updateOne(filter, update, { ...options, session }),
      );
      return matchedCount + upsertedCount === 1;
    } finally {
      this.forget();
    }
  }

  async recent(): Promise<readonly ProjectionRecord[]> {
    const { known } = this;
    if (known !== undefined && performance.now() - known.startedAt < cachedMs) return known.keepers;
    return (await (this.running ?? this.read())).keepers;
  }

  /** The read starts after this call. Calls during a read share the next one. */
  async fresh(): Promise<readonly ProjectionRecord[]> {
    const { running } = this;
    if (running === undefined) return (await this.read()).keepers;
    this.next ??= running.then(
      () => this.read(),
      () => this.read(),
    );
    return (await this.next).keepers;
  }

  /** Makes later calls start a new read, because this process has changed the layout. */
  private forget(): void {
    this.known = undefined;
    this.running = undefined;
  }

  private read(): Promise<Reading> {
    this.next = undefined;
    const startedAt = performance.now();
    const reading = this.collection
      .find({}, this.connection.reads)
      .toArray()
      .then((keepers) => ({ keepers, startedAt }));
    this.running = reading;
    const ended = (known?: Reading) => {
      if (this.running !== reading) return;
      this.running = undefined;
      this.known = known;
    };
    reading.then(ended, () => ended());
    return reading;
  }
}
