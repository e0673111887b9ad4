import { Injectable, Logger } from '@nestjs/common';
import { AggregateLoader } from '../../../../engine/commands/aggregate-loader.js';
import { PerDryRun } from '../../../../engine/dry-run/dry-run.js';
import { Retention, type Sweep } from '../../../../engine/retention/retention.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import { streamOf } from '../../../../kernel/event/stream-name.js';
import { reasonOf } from '../../../../kernel/reason.js';
import type { Where } from '../../../../kernel/record/projection.js';
import { ReadStore } from '../../../../ports/read-store.port.js';
import { type Project, projects } from '../../../sites/project/project.record.js';
import { mostRuns, over } from '../operations/shown-runs.js';
import type { Run } from '../run.record.js';
import { DeliveredFiles } from './delivered-files.api.js';
import { RunInputs } from './run-inputs.api.js';
import { RunRetention } from './run-retention.js';

const pageSize = 200;

@Injectable()
export class SiteRunRetention {
  readonly sweep: Sweep;
  private readonly log = new Logger('Runs');
  private readonly endedSince = new PerDryRun(() => new Map<string, number>());

  constructor(
    retention: Retention,
    private readonly runs: RunRetention,
    private readonly store: ReadStore,
    private readonly reads: Reads,
    private readonly loader: AggregateLoader,
    private readonly inputs: RunInputs,
    private readonly files: DeliveredFiles,
  ) {
    this.sweep = retention.addSweep('site-run-retention', () => this.sweepAll());
  }

  /** Open runs are removed by a later sweep. Idempotent. */
  async forgetProject(workspaceId: string, projectId: string): Promise<void> {
    const done = new Set<string>();
    for (let after: readonly [number, string] | undefined; ; ) {
      const query = { where: { projectId }, sort: [['position', 'asc']], limit: pageSize } as const;
      const found = await this.reads.find<Run>(workspaceId, 'runs', after === undefined ? query : { ...query, after });
      for (const run of found) {
        if (done.has(run.functionId)) continue;
        done.add(run.functionId);
        await this.forget(run);
      }
      const last = found.at(-1);
      if (last === undefined || found.length < pageSize) return;
      after = [last.position, last.id];
    }
  }

  /**
   * When the count of ended runs reaches the retained number, older runs are removed at once, because a busy function
   * could fill the disk between two sweeps.
   */
  hasEnded({ projectId, functionId }: Pick<Run, 'projectId' | 'functionId'>): void {
    if (projectId === undefined) return;
    const { now: ended } = this.endedSince;
    const count = (ended.get(functionId) ?? 0) + 1;
    ended.delete(functionId);
    if (count < mostRuns) {
      ended.set(functionId, count);
      return;
    }
    this.forgetOlder({ functionId }).catch((error: unknown) => {
      this.log.warn(
        `Old runs of ${functionId} could not be removed and remain until the next sweep: ${reasonOf(error)}`,
      );
    });
  }

  private async sweepAll(): Promise<void> {
    for await (const run of this.onePerFunction()) {
      if (run.projectId === undefined) continue;
      if (await this.isGone(run.workspaceId, run.projectId)) await this.forget(run);
      else await this.forgetOlder(run);
    }
  }

  /** Includes deleted functions, because they have runs too. */
  private async *onePerFunction(): AsyncGenerator<Run> {
    for (let after = ''; ; ) {
      const sort = [
        ['functionId', 'asc'],
        ['position', 'asc'],
      ] as const;
      const query = { where: { functionId: { gt: after } }, sort, limit: 1 };
      const [run] = await this.store.find<Run>('runs', query);
      if (run === undefined) return;
      yield run;
      after = run.functionId;
    }
  }

  private async forgetOlder({ functionId }: Pick<Run, 'functionId'>): Promise<void> {
    const where = { functionId, ...over };
    if ((await this.store.count('runs', where)) <= mostRuns) return;
    const newest = await this.store.find<Run>('runs', { where, sort: [['revision', 'desc']], limit: mostRuns });
    const last = newest.at(-1);
    if (last !== undefined) await this.forget(last, last.revision);
  }

  private async forget({ functionId }: Pick<Run, 'functionId'>, from?: number): Promise<void> {
    const older = { functionId, ...over, ...(from === undefined ? {} : { revision: { lt: from } }) };
    await this.destroyInputs(older);
    const [oldest] = await this.store.find<Run>('runs', { where: older, sort: [['revision', 'asc']], limit: 1 });
    if (oldest === undefined) return;
    await this.runs.forgetBefore(oldest, from === undefined ? undefined : { revision: { gte: from } });
  }

  private async destroyInputs(of: Where): Promise<void> {
    for (let after: readonly [string] | undefined; ; ) {
      const query = { where: { ...of, inputDropped: false, accepted: true }, limit: pageSize };
      const found = await this.store.find<Run>('runs', after === undefined ? query : { ...query, after });
      await Promise.all(
        found.map(async ({ workspaceId, id, hasFiles }) => {
          await this.inputs.destroy(workspaceId, id);
          if (hasFiles) await this.files.destroy({ workspaceId, runId: id });
        }),
      );
      const last = found.at(-1);
      if (last === undefined || found.length < pageSize) return;
      after = [last.id];
    }
  }

  /**
   * The read model can lag behind the log, so an existing site can be missing from it. Only the site's stream can show
   * that a site was deleted.
   */
  private async isGone(workspaceId: string, projectId: string): Promise<boolean> {
    if ((await this.reads.get<Project>(workspaceId, 'projects', projectId)) !== undefined) return false;
    const { state, revision } = await this.loader.load(projects, streamOf(projects.category, workspaceId, projectId));
    return state === undefined && revision >= 0;
  }
}
