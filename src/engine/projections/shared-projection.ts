import { allSettled } from '../../kernel/all-settled.js';
import type { EventStore } from '../../ports/event-store.port.js';
import type { Build, ReadStore, Shared } from '../../ports/read-store.port.js';
import { firstGeneration, isOfVersion } from '../read-models/generation.js';
import type { OpenedData } from '../read-models/opened-events.js';
import type { Area } from '../read-models/read-models.js';
import type { NewerVersionNeeded } from '../read-models/understood-log.js';
import { catchUp } from './catch-up.js';
import { discardOthers, type Fed, ProjectionFeed, switchTo } from './projection-feed.js';

interface AreaListener {
  /** Called when queries of this projection include everything up to this position. */
  moved(projection: string, position: number): void;
  changed(projection: string): void;
  failed(error: unknown): void;
  untilAvailable(work: () => Promise<void>, stopping: AbortSignal): Promise<void>;
  report?(sentence: string): void;
  /** Called when read models halt before an event that this version does not know and must not skip. */
  stopped?(projections: readonly string[], why: NewerVersionNeeded): void;
  /** Opens personal data, for projections that need it in the clear. */
  opened?: OpenedData;
}

interface Joining extends Fed {
  readonly isActive: boolean;
}

interface Following {
  readonly feed: ProjectionFeed;
  /**
   * Resolves when the feed has processed everything that was in the log at the start, or has been halted or stopped.
   */
  readonly caughtUp: Promise<void>;
}

/**
 * Builds the read models of an area with one shared checkpoint. A read model that is new, was rebuilt or has another
 * version first catches up with a checkpoint of its own. Until it joins the shared checkpoint, queries read its former
 * build, if there is one. Every start begins a new generation of the shared checkpoint, so a process that lost the
 * lease without noticing can no longer write (fencing).
 */
export class SharedProjection {
  private readonly stopping = new AbortController();
  private together: ProjectionFeed | undefined;
  private catchingUp: readonly ProjectionFeed[] = [];
  private starting: Promise<void> = Promise.resolve();
  private head = -1;

  constructor(
    private readonly area: Area,
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly hears: AreaListener,
  ) {}

  get missing(): ReadonlyMap<string, number> {
    return new Map([this.together, ...this.catchingUp].flatMap((feed) => [...(feed?.missing ?? [])]));
  }

  get halted(): readonly string[] {
    return [this.together, ...this.catchingUp].flatMap((feed) => feed?.halted ?? []);
  }

  /**
   * Resolves when all read models share the checkpoint and include everything that was in the log at the start, or
   * earlier if one of them is halted or this is stopped.
   */
  start(): Promise<void> {
    this.starting = this.follow();
    return this.starting;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.starting.catch(() => undefined);
    await Promise.all([this.together, ...this.catchingUp].map((feed) => feed?.stop()));
  }

  private async follow(): Promise<void> {
    this.head = await this.events.head();
    const { shared, joined, joining } = await this.begin();
    const together = shared === undefined ? undefined : this.following(joined, shared, true);
    this.together = together?.feed;
    if (joined.length > 0) await together?.feed.start();
    else await together?.feed.prepare();
    if (joining.length > 0) await this.admit(joined, joining, shared);
    else await together?.caughtUp;
  }

  private async begin(): Promise<{ shared: Build | undefined; joined: readonly Fed[]; joining: readonly Joining[] }> {
    const former = await this.store.shared(this.area.name);
    const all = await Promise.all(this.area.projections.map((projection) => this.joiningOf(projection)));
    const isJoined = ({ isActive, build }: Joining) =>
      isActive && former?.members.get(build.projection) === build.generation;
    const joined = all.filter(isJoined);
    const joining = all.filter((one) => !isJoined(one));
    for (const build of outside(former, joined)) await this.store.leave(build);
    for (const { build } of joining) await this.store.leave(build);
    if (former === undefined) return { shared: undefined, joined, joining };
    const shared = this.next(former.generation);
    await this.store.share(shared, former.generation, former.checkpoint, joined.map(buildOf));
    return { shared, joined, joining };
  }

  private async joiningOf(projection: Fed['projection']): Promise<Joining> {
    const active = await this.store.active(projection.name);
    const isActive = isOfVersion(projection, active);
    const generation = isActive && active !== undefined ? active : firstGeneration(projection);
    await discardOthers(this.store, projection, [active, generation]);
    return { projection, build: { projection: projection.name, generation }, isActive };
  }

  private async admit(joined: readonly Fed[], joining: readonly Joining[], shared: Build | undefined): Promise<void> {
    const following = joining.map((one) => {
      const { isActive, build, projection } = one;
      return this.following([isActive ? one : { projection, build, unreadUpTo: this.head }], build, isActive);
    });
    this.catchingUp = following.map(({ feed }) => feed);
    // If one fails, the others are awaited too, because `stop` can only stop a feed that has started.
    await allSettled(this.catchingUp.map((feed) => feed.start()));
    await Promise.all(following.map(({ caughtUp }) => caughtUp));
    if (this.stopping.signal.aborted || this.catchingUp.some((feed) => feed.halted.length > 0)) return;
    for (const feed of this.catchingUp) if (!this.stopping.signal.aborted) await feed.index();
    if (this.stopping.signal.aborted) return;
    const feeds = [...(this.together === undefined ? [] : [this.together]), ...this.catchingUp];
    await Promise.all(feeds.map((feed) => feed.stop()));
    const at = Math.max(...feeds.map(({ position }) => position));
    await catchUp(this.events, this.store, feeds, at);
    for (const one of joining) await switchTo(this.store, one);
    const next = this.next(shared?.generation);
    const all = [...joined, ...joining];
    await this.store.share(next, shared?.generation, at, all.map(buildOf));
    const together = this.following(all, next, true);
    this.together = together.feed;
    this.catchingUp = [];
    if (this.stopping.signal.aborted) return;
    await together.feed.start();
    await together.caughtUp;
  }

  private following(fed: readonly Fed[], build: Build, isRead: boolean): Following {
    const { signal } = this.stopping;
    const caughtUp = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => caughtUp.resolve(), { once: true });
    const feed = new ProjectionFeed(fed, build, this.events, this.store, {
      moved: (position) => {
        if (isRead) for (const { projection } of fed) this.hears.moved(projection.name, position);
        if (position >= this.head) caughtUp.resolve();
      },
      untilAvailable: (work) => this.hears.untilAvailable(work, signal),
      watched: { stopping: signal, report: (sentence) => this.hears.report?.(sentence) },
      changed: (projection) => this.hears.changed(projection),
      failed: (error) => this.hears.failed(error),
      stopped: (why) => {
        this.hears.stopped?.(
          fed.map(({ projection }) => projection.name),
          why,
        );
        caughtUp.resolve();
      },
      ...(this.hears.opened === undefined ? {} : { opened: this.hears.opened }),
    });
    return { feed, caughtUp: caughtUp.promise };
  }

  private next(former: string | undefined): Build {
    return { projection: this.area.name, generation: `g${Number(former?.slice(1) ?? 0) + 1}` };
  }
}

const buildOf = ({ build }: Fed): Build => build;

function outside(former: Shared | undefined, joined: readonly Fed[]): readonly Build[] {
  const stay = new Set(joined.map(({ build }) => build.projection));
  return [...(former?.members ?? [])]
    .filter(([projection]) => !stay.has(projection))
    .map(([projection, generation]) => ({ projection, generation }));
}
