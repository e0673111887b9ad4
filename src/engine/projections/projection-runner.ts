import { Injectable, Logger } from '@nestjs/common';
import type { Projection } from '../../kernel/record/projection.js';
import { EventStore } from '../../ports/event-store.port.js';
import { type Build, CheckpointMoved, ReadStore } from '../../ports/read-store.port.js';
import { type Duty, LeaseKeeper } from '../cluster/lease-keeper.js';
import { StoppableStart } from '../cluster/stoppable-start.js';
import { StoreRetry } from '../cluster/store-retry.js';
import { type Worker, WorkerSource } from '../cluster/worker.js';
import { PersonalData } from '../personal-data/personal-data.js';
import { firstGeneration, isOfVersion } from '../read-models/generation.js';
import { type Area, ReadModels, readModelDuty } from '../read-models/read-models.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';
import { haltSentence, type NewerVersionNeeded } from '../read-models/understood-log.js';
import { discardOthers, type Fed, type FeedListener, ProjectionFeed, switchTo } from './projection-feed.js';
import { ReadModelChanges } from './read-model-changes.js';
import { SharedProjection } from './shared-projection.js';

/** When a read model's version changes, the new one is built next to the old one, and queries then switch to it. */
@Injectable()
export class ProjectionRunner extends WorkerSource {
  private readonly log = new Logger('ReadModels');
  private readonly running = new Set<Pick<ProjectionFeed, 'missing' | 'halted'>>();

  constructor(
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly readYourWrites: ReadYourWrites,
    private readonly news: ReadModelChanges,
    private readonly keeper: LeaseKeeper,
    private readonly storeRetry: StoreRetry,
    private readonly personal: PersonalData,
    private readonly models: ReadModels,
  ) {
    super();
  }

  override workers(): readonly Worker[] {
    const { alone, areas } = this.models;
    const duties = [...alone.map((model) => this.duty(model)), ...areas.map((area) => this.areaDuty(area))];
    return duties.map((duty) => ({ ...duty, kind: 'read-model' }));
  }

  private readonly report = (sentence: string) => this.log.log(sentence);
  private readonly opened = <Value>(workspaceId: string, value: Value) => this.personal.opened(workspaceId, value);

  /** Omits read models without quarantined events. */
  get setAside(): ReadonlyMap<string, number> {
    const counts = [...this.running].flatMap(({ missing }) => [...missing]);
    return new Map(counts.filter(([, missing]) => missing > 0));
  }

  get halted(): readonly string[] {
    return [...this.running].flatMap(({ halted }) => halted);
  }

  /**
   * `start` resolves when the read model includes everything that was in the log at the start, or earlier if building
   * it stops.
   */
  private duty(projection: Projection): Duty {
    let feed: ProjectionFeed | undefined;
    const starting = new StoppableStart();
    const start = async (signal: AbortSignal) => {
      const { build, isNew } = await this.buildOf(projection);
      const head = await this.events.head();
      if (signal.aborted) return;
      const caughtUp = Promise.withResolvers<boolean>();
      signal.addEventListener('abort', () => caughtUp.resolve(false), { once: true });
      let isRead = !isNew;
      let reached = -1;
      const made = this.feedOf({ projection, build, ...(isNew && { unreadUpTo: head }) }, signal, {
        moved: (position) => {
          reached = position;
          if (isRead) this.readYourWrites.moved(projection.name, position);
          if (position >= head) caughtUp.resolve(true);
        },
        stopped: (why) => {
          this.reportHalt([projection.name], why);
          caughtUp.resolve(false);
        },
      });
      feed = made;
      this.running.add(made);
      await made.start();
      if (!(await caughtUp.promise) || !isNew) return;
      await made.index();
      // Another process may have taken over the duty while the indexes were created.
      if (signal.aborted) return;
      await switchTo(this.store, { projection, build });
      isRead = true;
      this.readYourWrites.moved(projection.name, reached);
    };
    return {
      name: readModelDuty(projection),
      start: () => starting.begin(start),
      stop: async () => {
        await starting.stop();
        await feed?.stop();
        if (feed !== undefined) this.running.delete(feed);
        feed = undefined;
      },
    };
  }

  private areaDuty(area: Area): Duty {
    const name = `read-model/${area.name}`;
    let shared: SharedProjection | undefined;
    return {
      name,
      start: async () => {
        shared = new SharedProjection(area, this.events, this.store, {
          moved: (projection, position) => this.readYourWrites.moved(projection, position),
          untilAvailable: (work, stopping) => this.storeRetry.untilAvailable(work, stopping),
          changed: (projection) => this.news.changed(projection),
          report: this.report,
          opened: this.opened,
          stopped: (names, why) => this.reportHalt(names, why),
          failed: (error) => {
            if (error instanceof CheckpointMoved) this.keeper.lost(name);
          },
        });
        this.running.add(shared);
        await shared.start();
      },
      stop: async () => {
        await shared?.stop();
        if (shared !== undefined) this.running.delete(shared);
        shared = undefined;
      },
    };
  }

  private reportHalt(names: readonly string[], why: NewerVersionNeeded): void {
    this.log.error(
      haltSentence(names.length === 1 ? `The read model '${names[0]}'` : `Read models (${names.join(', ')})`, why),
    );
  }

  private feedOf(fed: Fed, stopping: AbortSignal, hears: Pick<FeedListener, 'moved' | 'stopped'>): ProjectionFeed {
    const { projection, build } = fed;
    return new ProjectionFeed([fed], build, this.events, this.store, {
      ...hears,
      untilAvailable: (work) => this.storeRetry.untilAvailable(work, stopping),
      changed: () => this.news.changed(projection.name),
      watched: { stopping, report: this.report },
      opened: this.opened,
      failed: (error) => {
        if (error instanceof CheckpointMoved) this.keeper.lost(readModelDuty(projection));
      },
    });
  }

  private async buildOf(projection: Projection): Promise<{ readonly build: Build; readonly isNew: boolean }> {
    const active = await this.store.active(projection.name);
    const isNew = !isOfVersion(projection, active);
    const generation = isNew ? firstGeneration(projection) : (active ?? '');
    await discardOthers(this.store, projection, [active, generation]);
    return { build: { projection: projection.name, generation }, isNew };
  }
}
