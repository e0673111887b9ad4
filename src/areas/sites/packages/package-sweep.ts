import { Injectable } from '@nestjs/common';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { ReadModels } from '../../../engine/read-models/read-models.js';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import { Retention, type Sweep } from '../../../engine/retention/retention.js';
import { Blobs } from '../../../ports/blobs.port.js';
import { Clock } from '../../../ports/clock.port.js';
import { EventStore } from '../../../ports/event-store.port.js';
import type { ResolvedPackage } from '../../../ports/network/packages.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import type { Project } from '../project/project.record.js';
import { allPackages, packageBlob, workspaceOfPackage } from './package-blobs.api.js';

/**
 * Archives that were stored more recently than this are not removed, because `bundleDeps` stores archives first and
 * then records the project's `lock`, which lists them. `bundleDeps` never takes this long.
 */
const youngMs = 24 * 3_600_000;
const pageSize = 100;
const collection = 'projects';

/**
 * Removes archives that no project needs any more. `bundleDeps` can safely run at the same time: it stores missing
 * archives again, and recently stored archives are never removed.
 */
@Injectable()
export class PackageSweep {
  readonly sweep: Sweep;

  constructor(
    retention: Retention,
    private readonly store: ReadStore,
    private readonly blobs: Blobs,
    private readonly texts: RecordTexts,
    private readonly events: EventStore,
    private readonly models: ReadModels,
    private readonly readYourWrites: ReadYourWrites,
    private readonly clock: Clock,
  ) {
    this.sweep = retention.addSweep('package-sweep', () => this.removeUnnamed());
  }

  private async removeUnnamed(): Promise<void> {
    const before = this.clock.now() - youngMs;
    const old = Map.groupBy(await this.blobs.names(allPackages, { before }), workspaceOfPackage);
    if (old.size === 0 || !(await this.knowsAllProjects())) return;
    for (const [workspaceId, blobs] of old) {
      const named = await this.named(workspaceId);
      for (const blob of blobs) if (!named.has(blob)) await this.blobs.destroy(blob, { before });
    }
  }

  /**
   * False if the read model is being rebuilt or lags behind. It may then lack projects, whose archives would be removed
   * by mistake.
   */
  private async knowsAllProjects(): Promise<boolean> {
    const head = await this.events.head();
    const model = this.models.builderOf(collection);
    if (model === undefined) return false;
    this.readYourWrites.observed(head);
    await this.readYourWrites.current(model);
    return this.readYourWrites.taken(model) >= head;
  }

  private async named(workspaceId: string): Promise<ReadonlySet<string>> {
    const named = new Set<string>();
    for (let after = ''; ; ) {
      const projects = await this.store.find<Project>(collection, {
        where: { workspaceId, id: { gt: after } },
        sort: [['id', 'asc']],
        limit: pageSize,
      });
      const locks = projects.flatMap(({ locked }) => (locked === null ? [] : [locked.lock]));
      const read = await this.texts.read(workspaceId, locks);
      for (const lock of locks) {
        const packages = JSON.parse(read(lock)) as readonly ResolvedPackage[];
        for (const { integrity } of packages) named.add(packageBlob(workspaceId, integrity));
      }
      const last = projects.at(-1);
      if (last === undefined || projects.length < pageSize) return named;
      after = last.id;
    }
  }
}
