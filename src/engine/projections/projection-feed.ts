import type { RecordedEvent } from '../../kernel/event/event.js';
import type { Projection } from '../../kernel/record/projection.js';
import type { EventStore, Subscription } from '../../ports/event-store.port.js';
import type { Build, ReadStore, Watched } from '../../ports/read-store.port.js';
import { type OpenedData, openedFor } from '../read-models/opened-events.js';
import { readingOf } from '../read-models/read-models.js';
import { SetAside } from '../read-models/set-aside.js';
import { NewerVersionNeeded } from '../read-models/understood-log.js';
import { type Part, roundsOf, writesOf } from './projection-writes.js';

/** After this many batches without an event for the projection, its checkpoint is written anyway. */
const unwrittenTellings = 500;

/** A commit of this many documents gains nothing from being batched with others. */
const enough = 50;

/** A read model, and the build of it that is written. */
export interface Fed {
  readonly projection: Projection;
  readonly build: Build;
}

export interface Hears {
  /** Everything up to this position was processed. */
  moved?(position: number): void;
  /** Documents of this projection have changed. */
  changed?(projection: string): void;
  /** Events could not be processed; they will be delivered again. */
  failed?(error: unknown): void;
  /** It stands still before an event that this version does not know and must not pass over. */
  stopped?(why: NewerVersionNeeded): void;
  /** Opens personal data, for projections that keep it in the clear. */
  opened?: OpenedData;
  /** Of preparing the builds, which may take very long. */
  watched?: Watched;
  /** Repeats work that fails because a store is away. Left out: it is delivered again. */
  lasting?(work: () => Promise<void>): Promise<void>;
}

/** Feeds builds of projections from the log: one of them, or several that share a checkpoint. */
export class ProjectionFeed {
  private readonly parts: readonly Part[];
  private checkpoint = -1;
  private unwritten = 0;
  private stands = false;
  private subscription: Subscription | undefined;

  constructor(
    private readonly fed: readonly Fed[],
    /** The build whose checkpoint is moved. */
    private readonly build: Build,
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly hears: Hears = {},
  ) {
    if (hears.opened === undefined && fed.some(({ projection }) => projection.opens)) {
      throw new Error('A projection that opens personal data is fed by somebody who cannot open them.');
    }
    this.parts = fed.map((one) => ({ ...one, setAside: new SetAside(one.projection, one.build, store) }));
  }

  /** How many events each projection could not take in. Later ones of what they are about are not counted. */
  get missing(): ReadonlyMap<string, number> {
    return new Map(this.parts.map(({ projection, setAside }) => [projection.name, setAside.count]));
  }

  /** The read models that stand still before an event that this version must not pass over: all of them or none. */
  get standing(): readonly string[] {
    return this.stands ? this.fed.map(({ projection }) => projection.name) : [];
  }

  /** What it reads; undefined: everything. */
  get reading() {
    return readingOf(this.fed.map(({ projection }) => projection));
  }

  /** Everything up to here was processed. It may be ahead of the stored checkpoint. */
  get position(): number {
    return Math.max(this.checkpoint, this.subscription?.position ?? -1);
  }

  /** Prepares the builds' collections and reads the checkpoint. */
  async prepare(): Promise<void> {
    const { watched } = this.hears;
    for (const { projection, build } of this.fed) await this.store.prepare(build, projection.collections, watched);
    this.checkpoint = await this.store.checkpoint(this.build);
    for (const { setAside } of this.parts) await setAside.load(this.checkpoint);
  }

  async start(): Promise<void> {
    await this.prepare();
    this.hears.moved?.(this.checkpoint);
    this.subscription = this.events.subscribe({
      ...this.reading,
      after: this.checkpoint,
      stopped: (why) => {
        this.stands = true;
        if (why instanceof NewerVersionNeeded) this.hears.stopped?.(why);
      },
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
    this.stands = false;
    const { opened } = this.hears;
    const toTake = opened === undefined ? events : await openedFor(this.fed, events, opened);
    for (const round of roundsOf(this.parts, toTake)) {
      const writes = await writesOf(this.store, round);
      for (const { setAside } of this.parts) await setAside.keep();
      await this.commit(round.upTo, writes);
      for (const { projection } of new Set(round.changes.map(({ part }) => part)))
        this.hears.changed?.(projection.name);
    }
    for (const { setAside } of this.parts) await setAside.keep();
    // Other processes that wait for this read model see only the stored checkpoint.
    const read = events.at(-1)?.position ?? -1;
    if (read > this.checkpoint || ++this.unwritten > unwrittenTellings) await this.settle(caughtUpTo);
    this.hears.moved?.(caughtUpTo);
  }

  /** Does it again for as long as its store is away, where whoever made this feed waits for that. */
  lasting(work: () => Promise<void>): Promise<void> {
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
export async function switchTo(store: ReadStore, { projection, build }: Fed): Promise<void> {
  await store.activate(build, projection.collections);
  for (const generation of await store.builds(projection.name)) {
    if (generation === build.generation) continue;
    await store.discard({ projection: projection.name, generation }, projection.collections);
  }
}
