import { Injectable } from '@nestjs/common';
import type { Projection } from '../kernel/projection.js';
import { EventStore } from '../ports/event-store.port.js';
import { type Build, ReadStore } from '../ports/read-store.port.js';
import { ProjectionFeed, switchTo } from './projection-runner.js';

export interface Verified {
  readonly projection: string;
  /** Where in the log the two were compared. */
  readonly position: number;
  readonly equal: boolean;
}

/** Builds of read models outside the service's own work: to make one anew, or to hold it against the log. */
@Injectable()
export class ProjectionMaintenance {
  constructor(
    private readonly events: EventStore,
    private readonly store: ReadStore,
  ) {}

  /** Builds a projection anew beside the one that is read, and switches. Answers how many events the log has it read. */
  async rebuild(projection: Projection): Promise<void> {
    const active = await this.store.active(projection.name);
    const build = { projection: projection.name, generation: nextGeneration(projection, active) };
    await this.store.discard(build, projection.collections);
    // Indexes are made once all documents are there: kept up on the way they would be most of the work.
    await this.buildUpTo(this.store, unindexed(projection), build, await this.events.head());
    await this.store.prepare(build, projection.collections);
    await switchTo(this.store, projection, build);
  }

  /** Builds the projection in `scratch` as far as the live one is, and compares the two by digest. */
  async verify(projection: Projection, scratch: ReadStore): Promise<Verified> {
    const generation = await this.store.active(projection.name);
    if (generation === undefined)
      throw new Error(`The projection ${projection.name} was never built; start the service once.`);
    const live = { projection: projection.name, generation };
    const { position, digest } = await this.still(projection, live);
    const build = { projection: projection.name, generation: 'verify' };
    await this.buildUpTo(scratch, projection, build, position);
    return {
      projection: projection.name,
      position,
      equal: (await scratch.digest(build, projection.collections)) === digest,
    };
  }

  /** A digest and the position it belongs to: the service may be writing meanwhile. */
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

  private async buildUpTo(store: ReadStore, projection: Projection, build: Build, upTo: number): Promise<void> {
    const feed = new ProjectionFeed(projection, build, this.events, store, () => {});
    await feed.prepare();
    for (let from = -1; from < upTo; ) {
      const page = await this.events.readAll({ ...projection.reads, from, limit: pageSize });
      const events = page.filter(({ position }) => position <= upTo);
      const reached = events.length === pageSize ? (events.at(-1)?.position ?? upTo) : upTo;
      await feed.take(events, reached);
      from = reached;
    }
    const settled = feed.settle(upTo);
    store.hurry();
    await settled;
  }
}

const pageSize = 10_000;

function unindexed({ name, version, reads, collections, changes }: Projection): Projection {
  const names = Object.keys(collections).map((collection) => [collection, { indexes: [] }] as const);
  return { name, version, reads, changes, collections: Object.fromEntries(names) };
}

/** `v2_0`, then `v2_1`, …: a build of the same version never takes the name of the one that is read. */
function nextGeneration(projection: Projection, active: string | undefined): string {
  const [version, number = '-1'] = (active ?? '').split('_');
  return version === `v${projection.version}` ? `${version}_${Number(number) + 1}` : `v${projection.version}_0`;
}
