import { type Build, CheckpointMoved, type Shared } from '../../../ports/read-store.port.js';
import { falseIfDuplicate } from '../../mongodb/mongo-errors.js';
import type { Checkpoints } from './checkpoints.js';
import type { Layout, ProjectionRecord } from './layout.js';

/**
 * An area is a group of projections whose builds share a checkpoint. The checkpoint is stored under the area's name,
 * and the builds are listed in the area's record.
 */
export class SharedBuilds {
  constructor(
    private readonly layout: Layout,
    private readonly checkpoints: Checkpoints,
  ) {}

  async buildsOf(area: string): Promise<Shared | undefined> {
    const keeper = await this.layout.keeper(area);
    const generation = keeper?.active;
    if (generation === undefined) return undefined;
    const checkpoint = await this.checkpoints.positionOf({ projection: area, generation });
    const members = (keeper?.builds?.[generation]?.members ?? []).map(
      (one) => [one.projection, one.generation] as const,
    );
    return { generation, checkpoint, members: new Map(members) };
  }

  async checkpointOf(build: Build): Promise<number> {
    const known = sharedBy(await this.layout.recent(), build);
    const closedAt = known === undefined ? undefined : await this.checkpoints.known(known);
    if (closedAt !== undefined) return closedAt;
    const now = known === undefined ? undefined : sharedBy(await this.layout.fresh(), build);
    return this.checkpoints.positionOf(now ?? build);
  }

  /**
   * The former generation's checkpoint is closed first. If the process is then killed, the next attempt continues from
   * that position.
   * @throws CheckpointMoved if the former generation is not at `at`, or if another process has begun a new build of the
   * area
   */
  async share(next: Build, former: string | undefined, at: number, members: readonly Build[]): Promise<void> {
    const { projection, generation } = next;
    if (former !== undefined) await this.checkpoints.close({ projection, generation: former }, at);
    await this.checkpoints.open(next, at);
    const from = { _id: projection, active: former === undefined ? { $exists: false } : { $eq: former } };
    const builds = { [generation]: { collections: [], members: members.map(memberOf) } };
    const begun = await this.layout
      .change(from, { $set: { active: generation, builds } }, { upsert: former === undefined })
      .catch(falseIfDuplicate);
    if (!begun) throw new CheckpointMoved(`Another process has already begun a new build of the area ${projection}.`);
    if (former !== undefined) await this.checkpoints.forget({ projection, generation: former });
  }

  async leave(build: Build): Promise<void> {
    const shared = sharedBy(await this.layout.fresh(), build);
    if (shared === undefined) return;
    await this.checkpoints.put(build, await this.checkpoints.positionOf(shared));
    await this.remove(build, shared);
  }

  async forget(build: Build): Promise<void> {
    const shared = sharedBy(await this.layout.fresh(), build);
    if (shared !== undefined) await this.remove(build, shared);
  }

  private async remove(build: Build, { projection: area, generation }: Build): Promise<void> {
    const keeper = await this.layout.keeper(area);
    const members = keeper?.builds?.[generation]?.members ?? [];
    const others = members.filter(({ projection }) => projection !== build.projection);
    await this.layout.change({ _id: area, active: generation }, { $set: { [`builds.${generation}.members`]: others } });
  }
}

const memberOf = ({ projection, generation }: Build) => ({ projection, generation });

function sharedBy(keepers: readonly ProjectionRecord[], { projection, generation }: Build): Build | undefined {
  for (const { _id, active, builds } of keepers) {
    const members = active === undefined ? undefined : builds?.[active]?.members;
    const isMember = members?.some((one) => one.projection === projection && one.generation === generation);
    if (active !== undefined && isMember) return { projection: _id, generation: active };
  }
  return undefined;
}
