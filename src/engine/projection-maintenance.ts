import { Injectable } from '@nestjs/common';
import type { Projection } from '../kernel/projection.js';
import { EventStore } from '../ports/event-store.port.js';
import { type Build, ReadStore } from '../ports/read-store.port.js';
import { ProjectionFeed, switchTo } from './projection-feed.js';
import { reads } from './read-models.js';

export interface Verified {
  readonly projection: string;
  /** The log position at which the two were compared. */
  readonly position: number;
  readonly equal: boolean;
}

/** Rebuilds read models, and verifies them against the log, for the command line. */
@Injectable()
export class ProjectionMaintenance {
  constructor(
    private readonly events: EventStore,
    private readonly store: ReadStore,
  ) {}

  /** Builds new generations beside the active ones, reading the log once for all of them, and switches to them. */
  async rebuild(projections: readonly Projection[]): Promise<void> {
    const head = await this.events.head();
    const wanted: Wanted[] = [];
    for (const projection of projections) {
      const active = await this.store.active(projection.name);
      const build = { projection: projection.name, generation: nextGeneration(projection, active) };
      await this.store.discard(build, projection.collections);
      // Indexes are created after all documents: maintaining them meanwhile would be most of the work.
      wanted.push({ projection: unindexed(projection), build });
    }
    await this.buildUpTo(this.store, wanted, head);
    for (const [at, projection] of projections.entries()) {
      const build = wanted[at]?.build;
      if (build === undefined) continue;
      await this.store.prepare(build, projection.collections);
      await switchTo(this.store, projection, build);
    }
  }

  /** Builds the projection in `scratch` up to the position of the live one and compares the two by digest. */
  async verify(projection: Projection, scratch: ReadStore): Promise<Verified> {
    const generation = await this.store.active(projection.name);
    if (generation === undefined)
      throw new Error(`The projection ${projection.name} was never built; start the service once.`);
    const live = { projection: projection.name, generation };
    const { position, digest } = await this.still(projection, live);
    const build = { projection: projection.name, generation: 'verify' };
    await this.buildUpTo(scratch, [{ projection, build }], position);
    return {
      projection: projection.name,
      position,
      equal: (await scratch.digest(build, projection.collections)) === digest,
    };
  }

  /** A digest and the position it belongs to. The service may be writing meanwhile. */
  private async still(projection: Projection, live: Build): Promise<{ position: number; digest: string }> {
    for (let attempt = 0; attempt < 50; attempt++) {
      const position = await this.store.checkpoint(live);
      const digest = await this.store.digest(live, projection.collections);
      if ((await this.store.checkpoint(live)) === position) return { position, digest };
    }
    throw new Error(
      `The projection ${projection.name} kept changing while it was read; try when the service is quieter.`,
    );
  }

  private async buildUpTo(store: ReadStore, wanted: readonly Wanted[], upTo: number): Promise<void> {
    const feeds = wanted.map(({ projection, build }) => ({
      reading: projection.reads,
      feed: new ProjectionFeed(projection, build, this.events, store),
    }));
    for (const { feed } of feeds) await feed.prepare();
    const [only] = wanted;
    const filter = wanted.length === 1 && only !== undefined ? only.projection.reads : {};
    for (let from = -1; from < upTo; ) {
      const page = await this.events.readAll({ ...filter, from, limit: pageSize });
      const events = page.filter(({ position }) => position <= upTo);
      const reached = events.length === pageSize ? (events.at(-1)?.position ?? upTo) : upTo;
      const taken = feeds.map(({ feed, reading }) =>
        feed.take(
          events.filter((event) => reads(reading, event)),
          reached,
        ),
      );
      await Promise.all(taken);
      from = reached;
    }
    const settled = feeds.map(({ feed }) => feed.settle(upTo));
    store.flushSoon();
    await Promise.all(settled);
  }
}

interface Wanted {
  readonly projection: Projection;
  readonly build: Build;
}

const pageSize = 10_000;

function unindexed({ name, version, reads, collections, changes }: Projection): Projection {
  const names = Object.keys(collections).map((collection) => [collection, { indexes: [] }] as const);
  return { name, version, reads, changes, collections: Object.fromEntries(names) };
}

/** `v2_0`, then `v2_1`, …: a new build of the same version never gets the name of the active one. */
function nextGeneration(projection: Projection, active: string | undefined): string {
  const [version, number = '-1'] = (active ?? '').split('_');
  return version === `v${projection.version}` ? `${version}_${Number(number) + 1}` : `v${projection.version}_0`;
}
