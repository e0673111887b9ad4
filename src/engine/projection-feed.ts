import type { RecordedEvent } from '../kernel/event.js';
import type { Projection } from '../kernel/projection.js';
import type { EventStore, Subscription } from '../ports/event-store.port.js';
import type { Build, ReadStore } from '../ports/read-store.port.js';
import { roundsOf, writesOf } from './projection-writes.js';
import { SetAside } from './set-aside.js';

/** After this many batches without an event for the projection, its checkpoint is written anyway. */
const unwrittenTellings = 500;

/** A commit of this many documents gains nothing from being batched with others. */
const enough = 50;

interface Hears {
  /** Everything up to this position was processed. */
  moved?(position: number): void;
  /** Documents have changed. */
  changed?(): void;
  /** Events could not be processed; they will be delivered again. */
  failed?(error: unknown): void;
  /** Repeats work that fails because a store is away. Left out: it is delivered again. */
  lasting?(work: () => Promise<void>): Promise<void>;
}

/** Feeds one build of one projection from the log. */
export class ProjectionFeed {
  private checkpoint = -1;
  private unwritten = 0;
  private subscription: Subscription | undefined;
  private readonly setAside: SetAside;

  constructor(
    private readonly projection: Projection,
    private readonly build: Build,
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly hears: Hears = {},
  ) {
    this.setAside = new SetAside(projection, build, store);
  }

  /** How many events could not be taken in. Later ones of what they are about are not counted. */
  get missing(): number {
    return this.setAside.count;
  }

  /** Prepares the build's collections and reads its checkpoint. */
  async prepare(): Promise<void> {
    await this.store.prepare(this.build, this.projection.collections);
    this.checkpoint = await this.store.checkpoint(this.build);
    await this.setAside.load(this.checkpoint);
  }

  async start(): Promise<void> {
    await this.prepare();
    this.hears.moved?.(this.checkpoint);
    this.subscription = this.events.subscribe({
      ...this.projection.reads,
      after: this.checkpoint,
      handle: (events, caughtUpTo) =>
        this.lasting(() => this.take(events, caughtUpTo)).catch((error: unknown) => {
          this.hears.failed?.(error);
          throw error;
        }),
    });
  }

  async stop(): Promise<void> {
    await this.subscription?.stop();
  }

  /** Processes events in log order; `caughtUpTo` is the position they reach. */
  async take(events: readonly RecordedEvent[], caughtUpTo: number): Promise<void> {
    const rounds = roundsOf(this.projection, events, this.setAside);
    for (const round of rounds) {
      const writes = await writesOf(this.build, this.store, round, this.setAside);
      await this.setAside.keep();
      await this.commit(round.upTo, writes);
      this.hears.changed?.();
    }
    await this.setAside.keep();
    // Other processes that wait for this read model see only the stored checkpoint.
    const read = events.at(-1)?.position ?? -1;
    if (read > this.checkpoint || ++this.unwritten > unwrittenTellings) await this.settle(caughtUpTo);
    this.hears.moved?.(caughtUpTo);
  }

  private lasting(work: () => Promise<void>): Promise<void> {
    return this.hears.lasting === undefined ? work() : this.hears.lasting(work);
  }

  /** Stores that everything up to this position was processed. */
  async settle(upTo: number): Promise<void> {
    if (upTo > this.checkpoint) await this.commit(upTo, []);
  }

  private async commit(upTo: number, writes: Parameters<ReadStore['commit']>[3]): Promise<void> {
    const committed = this.store.commit(this.build, this.checkpoint, upTo, writes);
    // Large batches do not need to wait for others.
    if (writes.length >= enough) this.store.flushSoon();
    await committed;
    this.checkpoint = upTo;
    this.unwritten = 0;
  }
}

/** Switches queries to this build and removes the others. */
export async function switchTo(store: ReadStore, projection: Projection, build: Build): Promise<void> {
  await store.activate(build, projection.collections);
  for (const generation of await store.builds(projection.name)) {
    if (generation === build.generation) continue;
    await store.discard({ projection: projection.name, generation }, projection.collections);
  }
}
