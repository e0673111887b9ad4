import { Injectable } from '@nestjs/common';
import type { RecordedEvent } from '../kernel/event.js';
import type { Projection } from '../kernel/projection.js';
import { EventStore, type Subscription } from '../ports/event-store.port.js';
import { type Build, ReadStore } from '../ports/read-store.port.js';
import { roundsOf, writesOf } from './projection-writes.js';
import { ReadModelNews } from './read-model-news.js';
import { Watermark } from './watermark.js';

/** Events passed over by a projection's filter move its mark; that alone is written down only so often. */
const unwrittenAtMost = 20_000;

/** A commit of so many documents gains nothing by waiting for others. */
const enough = 50;

/** Feeds one build of one projection from the log. */
export class ProjectionFeed {
  private checkpoint = -1;
  private subscription: Subscription | undefined;

  constructor(
    private readonly projection: Projection,
    private readonly build: Build,
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly moved: (position: number) => void,
    private readonly changed: () => void = () => {},
  ) {}

  /** Makes room for the build and finds where it stands. */
  async prepare(): Promise<void> {
    await this.store.prepare(this.build, this.projection.collections);
    this.checkpoint = await this.store.checkpoint(this.build);
  }

  async start(): Promise<void> {
    await this.prepare();
    this.moved(this.checkpoint);
    this.subscription = this.events.subscribe({
      ...this.projection.reads,
      after: this.checkpoint,
      handle: (events, caughtUpTo) => this.take(events, caughtUpTo),
    });
  }

  async stop(): Promise<void> {
    await this.subscription?.stop();
  }

  /** Takes in events in log order; `caughtUpTo` is the position they reach. */
  async take(events: readonly RecordedEvent[], caughtUpTo: number): Promise<void> {
    for (const round of roundsOf(this.projection, events)) {
      await this.commit(round.upTo, await writesOf(this.build, this.store, round));
      this.changed();
    }
    if (caughtUpTo - this.checkpoint > unwrittenAtMost) await this.commit(caughtUpTo, []);
    this.moved(caughtUpTo);
  }

  /** Writes down that everything up to this position was taken in. */
  async settle(upTo: number): Promise<void> {
    if (upTo > this.checkpoint) await this.commit(upTo, []);
  }

  private async commit(upTo: number, writes: Parameters<ReadStore['commit']>[3]): Promise<void> {
    const committed = this.store.commit(this.build, this.checkpoint, upTo, writes);
    // A long history has company enough of its own.
    if (writes.length >= enough) this.store.hurry();
    await committed;
    this.checkpoint = upTo;
  }
}

/** Keeps every read model up with the log, and builds a new version beside the old one before it takes over. */
@Injectable()
export class ProjectionRunner {
  private feeds: ProjectionFeed[] = [];

  constructor(
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly watermark: Watermark,
    private readonly news: ReadModelNews,
  ) {}

  /** Resolves when every projection has caught up with the log as it is now. */
  async start(projections: readonly Projection[]): Promise<void> {
    await Promise.all(projections.map((projection) => this.startOne(projection)));
  }

  async stop(): Promise<void> {
    await Promise.all(this.feeds.map((feed) => feed.stop()));
    this.feeds = [];
  }

  private async startOne(projection: Projection): Promise<void> {
    const active = await this.store.active(projection.name);
    const current = active?.startsWith(`v${projection.version}_`) ? active : undefined;
    const build = { projection: projection.name, generation: current ?? `v${projection.version}_0` };
    const head = await this.events.head();
    await new Promise<void>((resolve, reject) => {
      const moved = (position: number) => {
        this.watermark.moved(projection.name, position);
        if (position >= head) resolve();
      };
      const changed = () => this.news.changed(projection.name);
      const feed = new ProjectionFeed(projection, build, this.events, this.store, moved, changed);
      this.feeds.push(feed);
      feed.start().catch(reject);
    });
    if (current === undefined) await switchTo(this.store, projection, build);
  }
}

/** Makes queries read this build and takes the others away. */
export async function switchTo(store: ReadStore, projection: Projection, build: Build): Promise<void> {
  await store.activate(build, projection.collections);
  for (const generation of await store.builds(projection.name)) {
    if (generation === build.generation) continue;
    await store.discard({ projection: projection.name, generation }, projection.collections);
  }
}
