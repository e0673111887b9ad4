import type { RecordedEvent } from '../../kernel/event/event.js';
import type { Projection } from '../../kernel/record/projection.js';
import type { EventStore, Subscription } from '../../ports/event-store.port.js';
import type { Build, ReadStore, Watched, Write } from '../../ports/read-store.port.js';
import { type OpenedData, withPersonalDataOpened } from '../read-models/opened-events.js';
import { Quarantine } from '../read-models/quarantine.js';
import { readingOf } from '../read-models/read-models.js';
import { NewerVersionNeeded } from '../read-models/understood-log.js';
import { BulkIndexes } from './bulk-indexes.js';
import { PendingWrites } from './pending-writes.js';
import { type ProjectionPart, type Round, roundsOf, writesOf } from './projection-writes.js';

const mostBatchesUnwritten = 500;

/** A commit with at least this many changes is flushed at once, because combining it with others would gain nothing. */
const flushAtOnce = 50;
const stride = 10_000;

export interface Fed {
  readonly projection: Projection;
  readonly build: Build;
  /** Log position that the build must reach before queries read it. Omitted if queries already read it. */
  readonly unreadUpTo?: number;
}

export interface FeedListener {
  moved?(position: number): void;
  changed?(projection: string): void;
  /** Called when a batch of events fails. The events will be delivered again. */
  failed?(error: unknown): void;
  /** Called when the feed halts before an event that this version does not know and must not skip. */
  stopped?(why: NewerVersionNeeded): void;
  /** Opens personal data, for projections that need it in the clear. */
  opened?: OpenedData;
  watched?: Watched;
  /** Repeats the work until all stores are available. If omitted, the events of failed work are delivered again. */
  untilAvailable?(work: () => Promise<void>): Promise<void>;
}

export class ProjectionFeed {
  private readonly parts: readonly ProjectionPart[];
  private checkpoint = -1;
  /** The checkpoint after all commits in progress. */
  private submitted = -1;
  private unwritten = 0;
  private isHalted = false;
  private subscription: Subscription | undefined;
  private readonly bulk = new Map<string, BulkIndexes>();
  private readonly pending: PendingWrites;
  /** The latest commit and the one before it. Settles when both have. */
  private committing: Promise<void> = Promise.resolve();
  private committingBefore: Promise<void> = Promise.resolve();
  /** Batches of events whose commits may still be in progress: at most two, because at most two commits are. */
  private unsettled: readonly (readonly RecordedEvent[])[] = [];
  /** Events of an earlier batch whose commit failed. They are processed with the next batch. */
  private owed: readonly RecordedEvent[] = [];
  private readonly unreadUpTo: number;

  constructor(
    private readonly fed: readonly Fed[],
    private readonly build: Build,
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly hears: FeedListener = {},
  ) {
    if (hears.opened === undefined && fed.some(({ projection }) => projection.opens)) {
      throw new Error('A projection that opens personal data needs a feed whose listener has `opened`.');
    }
    this.unreadUpTo = Math.min(...fed.map(({ unreadUpTo = -1 }) => unreadUpTo));
    this.pending = new PendingWrites(store, () => this.bulk.size > 0);
    this.parts = fed.map((one) => ({ ...one, setAside: new Quarantine(one.projection, one.build, store) }));
  }

  /** Number of quarantined events per projection. Later events of a quarantined stream or document are not counted. */
  get missing(): ReadonlyMap<string, number> {
    return new Map(this.parts.map(({ projection, setAside }) => [projection.name, setAside.count]));
  }

  get halted(): readonly string[] {
    return this.isHalted ? this.fed.map(({ projection }) => projection.name) : [];
  }

  get reading() {
    return readingOf(this.fed.map(({ projection }) => projection));
  }

  /** Log position up to which the feed has read. The stored checkpoint can be lower. */
  get position(): number {
    return Math.max(this.checkpoint, this.subscription?.position ?? -1);
  }

  async prepare(): Promise<void> {
    const { watched } = this.hears;
    this.bulk.clear();
    for (const { projection, build, unreadUpTo = -1 } of this.fed) {
      const { name, collections } = projection;
      if (BulkIndexes.pays(await this.store.checkpoint(build), unreadUpTo)) {
        this.bulk.set(name, new BulkIndexes(collections, build, this.store, watched));
      }
      await (this.bulk.get(name)?.begin() ?? this.store.prepare(build, collections, watched));
    }
    this.checkpoint = await this.store.checkpoint(this.build);
    this.submitted = this.checkpoint;
    for (const { setAside } of this.parts) await setAside.load(this.checkpoint);
  }

  /** Creates the indexes that the builds did without so far. Must be called before queries read the builds. */
  async index(): Promise<void> {
    for (const bulk of this.bulk.values()) await bulk.end();
    this.bulk.clear();
  }

  async start(): Promise<void> {
    await this.prepare();
    if (this.hears.watched?.stopping?.aborted) return;
    this.hears.moved?.(this.checkpoint);
    this.subscription = this.events.subscribe({
      ...this.reading,
      after: this.checkpoint,
      most: stride,
      stopped: (why) => {
        this.isHalted = true;
        if (why instanceof NewerVersionNeeded) this.hears.stopped?.(why);
      },
      handle: (events, caughtUpTo) =>
        this.untilAvailable(() => this.apply(events, caughtUpTo)).catch((error: unknown) => {
          this.hears.failed?.(error);
          throw error;
        }),
    });
  }

  async stop(): Promise<void> {
    await this.subscription?.stop();
    await this.committing.catch(() => undefined);
  }

  async apply(given: readonly RecordedEvent[], caughtUpTo: number): Promise<void> {
    this.isHalted = false;
    const { opened } = this.hears;
    // After a failure, a batch can be delivered again. Skip the events that were already written.
    const events = [...this.owed, ...given].filter(({ position }) => position > this.checkpoint);
    const toTake = opened === undefined ? events : await withPersonalDataOpened(this.fed, events, opened);
    const rounds = roundsOf(this.parts, toTake);
    await this.takeRounds(rounds);
    if (caughtUpTo < this.unreadUpTo && ++this.unwritten <= mostBatchesUnwritten) {
      // Queries do not read the build yet, so the next batch is computed while the last two commits are in progress.
      if (rounds.length > 0) this.unsettled = [...this.unsettled, events].slice(-2);
      this.owed = [];
      return;
    }
    await this.settleRounds();
    this.owed = [];
    for (const { setAside } of this.parts) await setAside.save();
    // The checkpoint is stored after every batch with events, because other processes that wait for this read model see
    // only the stored checkpoint.
    const read = events.at(-1)?.position ?? -1;
    if (read > this.checkpoint || ++this.unwritten > mostBatchesUnwritten) await this.settle(caughtUpTo);
    this.hears.moved?.(caughtUpTo);
  }

  untilAvailable(work: () => Promise<void>): Promise<void> {
    return this.hears.untilAvailable === undefined ? work() : this.hears.untilAvailable(work);
  }

  /** Stores the checkpoint. Everything up to the position `upTo` must have been processed. */
  async settle(upTo: number): Promise<void> {
    if (upTo <= this.checkpoint) return;
    try {
      await this.commit(upTo, []);
    } catch (error) {
      this.submitted = this.checkpoint;
      throw error;
    }
  }

  private async takeRounds(rounds: readonly Round[]): Promise<void> {
    try {
      for (const round of rounds) {
        await this.indexFor(round);
        const writes = await writesOf(this.pending, round);
        await this.committingBefore;
        for (const { setAside } of this.parts) await setAside.save();
        this.committingBefore = this.committing;
        this.committing = bothDone(this.committing, this.commitRound(round, writes));
        // The result is awaited later. Without this handler, a failure before that would be reported as an unhandled
        // rejection.
        this.committing.catch(() => undefined);
        if (!this.pending.begin(writes)) await this.committing;
      }
    } catch (error) {
      await this.abandonRounds();
      throw error;
    }
  }

  private async settleRounds(): Promise<void> {
    try {
      await this.committing;
    } catch (error) {
      await this.abandonRounds();
      throw error;
    }
    this.unsettled = [];
    this.pending.written();
  }

  /** Waits for the commits in progress, because the checkpoint, at which the retry starts, must not move any more. */
  private async abandonRounds(): Promise<void> {
    await this.committing.catch(() => undefined);
    this.committing = Promise.resolve();
    this.committingBefore = this.committing;
    this.submitted = this.checkpoint;
    this.owed = [...this.owed, ...this.unsettled.flat()];
    this.unsettled = [];
    this.pending.forget();
  }

  private async commitRound({ changes, upTo }: Round, writes: readonly Write[]): Promise<void> {
    await this.commit(upTo, writes, changes.length);
    for (const { projection } of new Set(changes.map(({ part }) => part))) this.hears.changed?.(projection.name);
  }

  private async indexFor({ changes }: Round): Promise<void> {
    if (this.bulk.size === 0) return;
    for (const { part, change } of changes) {
      if (change.kind !== 'removeWhere') continue;
      await this.bulk.get(part.projection.name)?.beforeRemoval(change.collection, change.where);
    }
  }

  private async commit(upTo: number, writes: readonly Write[], changes = 0): Promise<void> {
    const committed = this.store.commit(this.build, this.submitted, upTo, writes);
    this.submitted = upTo;
    // Only small commits gain by waiting to be combined with others. While a long history is processed, every commit is
    // flushed at once, because the feed waits for it.
    if (changes >= flushAtOnce || this.bulk.size > 0) this.store.flushSoon();
    await committed;
    this.checkpoint = upTo;
    this.unwritten = 0;
  }
}

/** If both fail, rejects with the error of the first, which is the cause of the second. */
async function bothDone(first: Promise<void>, second: Promise<void>): Promise<void> {
  await Promise.allSettled([first, second]);
  await first;
  await second;
}

export async function switchTo(store: ReadStore, { projection, build }: Fed): Promise<void> {
  await store.activate(build, projection.collections);
  await discardOthers(store, projection, [build.generation]);
}

/**
 * Only the process that builds the projection may call this. A build that an interrupted rebuild left is not fed any
 * more, so data that is erased later would remain in it.
 */
export async function discardOthers(
  store: ReadStore,
  { name, collections }: Projection,
  retained: readonly (string | undefined)[],
): Promise<void> {
  for (const generation of await store.builds(name)) {
    if (!retained.includes(generation)) await store.discard({ projection: name, generation }, collections);
  }
}
