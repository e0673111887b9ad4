import { Injectable } from '@nestjs/common';
import { defaultPage, newestFirst } from '../../../../engine/records/newest-first.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import { inShortWords } from '../../../../kernel/callers/starter.js';
import type { Where } from '../../../../kernel/record/projection.js';
import { settingsOf } from '../../../workspace/workspace/workspace-settings.api.js';
import { FunctionCommands } from '../../function/function-commands.api.js';
import { refuse } from '../../functions.refusals.js';
import type { Run } from '../run.record.js';
import { ShownRuns } from './shown-runs.js';
import type { ListedSiteRun, SiteRunRecord } from './site-run-shapes.js';

/** Open runs are not listed (settled question Q-S94). */
const isOver = { in: ['success', 'error'] } as const;

interface RunQuery {
  readonly projectId: string;
  readonly functionId?: string;
  readonly scheduleId?: string;
  readonly status?: 'success' | 'error';
  readonly limit?: number;
  readonly before?: string;
}

@Injectable()
export class SiteRuns {
  constructor(
    private readonly reads: Reads,
    private readonly work: FunctionCommands,
    private readonly shown: ShownRuns,
  ) {}

  async list(workspaceId: string, query: RunQuery): Promise<readonly ListedSiteRun[]> {
    const { projectId, functionId, before } = query;
    const { runsTab } = await settingsOf(this.reads, workspaceId);
    if (before !== undefined && !runsTab) refuse('older-runs-off');
    const found = await this.page(workspaceId, query);
    // A deleted function's runs stay listed until retention removes them. An unknown function is therefore refused only
    // if no runs were found.
    if (found.length === 0 && functionId !== undefined && before === undefined) {
      await this.mustBeOfSite(workspaceId, projectId, functionId);
    }
    return found.map((run) => ({ ...recordOf(run), ...(runsTab ? { startedBy: inShortWords(run.starter) } : {}) }));
  }

  async find(workspaceId: string, projectId: string, runId: string): Promise<SiteRunRecord> {
    const run = await this.reads.get<Run>(workspaceId, 'runs', runId);
    const isThere = run?.projectId === projectId && (run.status === 'success' || run.status === 'error');
    return isThere && (await this.shown.isShown(run)) ? recordOf(run) : refuse('site-run-not-found');
  }

  private async page(workspaceId: string, query: RunQuery): Promise<readonly Run[]> {
    const { projectId, functionId, limit = defaultPage } = query;
    const isShown = this.shownIn(workspaceId);
    const found: Run[] = [];
    for (let { before } = query; ; ) {
      const page = await newestFirst<Run>(
        this.reads,
        workspaceId,
        'runs',
        { limit, ...(before && { before }) },
        {
          where: whereOf(query),
          by: 'position',
          belongs: (run) => run.projectId === projectId && run.functionId === (functionId ?? run.functionId),
          missing: () => refuse('site-run-not-found'),
        },
      );
      for (const run of page) if (await isShown(run)) found.push(run);
      if (page.length < limit || found.length >= limit) return found.slice(0, limit);
      before = page.at(-1)?.id;
    }
  }

  private shownIn(workspaceId: string): (run: Run) => Promise<boolean> {
    const first = new Map<string, Promise<number>>();
    return async ({ functionId, revision }) => {
      const known = first.get(functionId) ?? this.shown.first(workspaceId, functionId);
      first.set(functionId, known);
      return revision >= (await known);
    };
  }

  private async mustBeOfSite(workspaceId: string, projectId: string, functionId: string): Promise<void> {
    if ((await this.reads.first<Run>(workspaceId, 'runs', { projectId, functionId })) !== undefined) return;
    await this.work.find(workspaceId, { projectId, id: functionId });
  }
}

function whereOf({ projectId, functionId, scheduleId, status }: RunQuery): Where {
  return {
    projectId,
    status: status ?? isOver,
    ...(functionId === undefined ? {} : { functionId }),
    ...(scheduleId === undefined ? {} : { 'starter.kind': 'schedule', 'starter.id': scheduleId }),
  };
}

function recordOf(run: Run): SiteRunRecord {
  const { id, functionId, functionName, source, status, attempts, starter, createdAt, isGone = false, draft } = run;
  const last = attempts.at(-1);
  return {
    id,
    functionId: isGone ? null : functionId,
    functionName,
    scheduleId: starter.kind === 'schedule' ? starter.id : null,
    ...(draft && { draft }),
    source,
    status,
    startedAt: attempts[0]?.startedAt ?? createdAt,
    finishedAt: last?.finishedAt ?? createdAt,
    durationMs: last?.durationMs ?? 0,
    error: last?.error ?? null,
  };
}
