import { Injectable } from '@nestjs/common';
import type { Projection } from '../../kernel/record/projection.js';
import { EventStore } from '../../ports/event-store.port.js';
import { type Build, ReadStore, type Watched } from '../../ports/read-store.port.js';
import { StoreRetry } from '../cluster/store-retry.js';
import { PersonalData } from '../personal-data/personal-data.js';
import { nextGeneration } from '../read-models/generation.js';
import { areaNameOf } from '../read-models/read-models.js';
import { catchUp } from './catch-up.js';
import { type Fed, ProjectionFeed, switchTo } from './projection-feed.js';

export interface Verified {
  readonly projection: string;
  readonly position: number;
  readonly equal: boolean;
}

export interface ReadModelStatus {
  readonly projection: string;
  readonly area: string | null;
  readonly version: number;
  /** Null if the read model was never built. */
  readonly build: string | null;
  readonly checkpoint: number;
  readonly together: boolean;
}

@Injectable()
export class ProjectionMaintenance {
  constructor(
    private readonly events: EventStore,
    private readonly store: ReadStore,
    private readonly personal: PersonalData,
    private readonly storeRetry: StoreRetry,
  ) {}

  async list(projections: readonly Projection[]): Promise<readonly ReadModelStatus[]> {
    const statuses: ReadModelStatus[] = [];
    for (const { name: projection, version, area } of projections) {
      const generation = await this.store.active(projection);
      const checkpoint = generation === undefined ? -1 : await this.store.checkpoint({ projection, generation });
      const shared = area === undefined ? undefined : await this.store.shared(areaNameOf(area));
      const together = generation !== undefined && shared?.members.get(projection) === generation;
      statuses.push({ projection, area: area ?? null, version, build: generation ?? null, checkpoint, together });
    }
    return statuses;
  }

  /**
   * Builds new generations next to the active ones and then switches to them. Reads the log once for all projections.
   * `report` receives a sentence about each slow step.
   */
  async rebuild(projections: readonly Projection[], report?: (sentence: string) => void): Promise<void> {
    const head = await this.events.head();
    const builds: Fed[] = [];
    for (const projection of projections) {
      const active = await this.store.active(projection.name);
      const build = { projection: projection.name, generation: nextGeneration(projection, active) };
      await this.store.discard(build, projection.collections);
      builds.push({ projection, build, unreadUpTo: head });
    }
    const feeds = await this.buildUpTo(this.store, builds, head, report && { report: report });
    for (const feed of feeds) await feed.index();
    for (const fed of builds) await switchTo(this.store, fed);
  }

  /** `scratch` receives a second build, up to the position of the live one. The digests of both builds are compared. */
  async verify(projection: Projection, scratch: ReadStore): Promise<Verified> {
    const generation = await this.store.active(projection.name);
    if (generation === undefined)
      throw new Error(`The projection ${projection.name} was never built; start the service once.`);
    const live = { projection: projection.name, generation };
    const { position, digest } = await this.consistentDigest(projection, live);
    const build = { projection: projection.name, generation: 'verify' };
    await this.buildUpTo(scratch, [{ projection, build, unreadUpTo: position }], position);
    return {
      projection: projection.name,
      position,
      equal: (await scratch.digest(build, projection.collections)) === digest,
    };
  }

  private async consistentDigest(projection: Projection, live: Build): Promise<{ position: number; digest: string }> {
    for (let attempt = 0; attempt < 50; attempt++) {
      const position = await this.store.checkpoint(live);
      const digest = await this.store.digest(live, projection.collections);
      if ((await this.store.checkpoint(live)) === position) return { position, digest };
    }
    throw new Error(
      `The projection ${projection.name} changed repeatedly while it was read; try again when the service is less busy.`,
    );
  }

  private async buildUpTo(
    store: ReadStore,
    builds: readonly Fed[],
    upTo: number,
    watched?: Watched,
  ): Promise<readonly ProjectionFeed[]> {
    const hears = {
      opened: <Value>(workspaceId: string, value: Value) => this.personal.opened(workspaceId, value),
      untilAvailable: (work: () => Promise<void>) => this.storeRetry.untilAvailable(work),
      ...(watched && { watched }),
    };
    const feeds = builds.map((fed) => new ProjectionFeed([fed], fed.build, this.events, store, hears));
    for (const feed of feeds) await feed.prepare();
    if (feeds.length > 0) await catchUp(this.events, store, feeds, upTo);
    return feeds;
  }
}
