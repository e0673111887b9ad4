import { Injectable } from '@nestjs/common';
import { Reads } from '../../../../engine/scopes/reads.js';
import type { Where } from '../../../../kernel/record/projection.js';
import type { Run } from '../run.record.js';

/** Maximum number of runs shown for each function of a site (Sites API, Limits). */
export const mostRuns = 500;

export const over: Where = { status: { in: ['success', 'error'] } };

/** Hides older runs of a site's functions even if retention has not removed them yet. */
@Injectable()
export class ShownRuns {
  constructor(private readonly reads: Reads) {}

  /** Returns the journal revision of the oldest ended run that is shown, or 0 if all runs are shown. */
  async first(workspaceId: string, functionId: string): Promise<number> {
    const where = { functionId, ...over };
    const newest = { where, sort: [['revision', 'desc']], skip: mostRuns - 1, limit: 1 } as const;
    const [oldest] = await this.reads.find<Run>(workspaceId, 'runs', newest);
    return oldest?.revision ?? 0;
  }

  async isShown({ workspaceId, projectId, functionId, status, revision }: Run): Promise<boolean> {
    const isOver = status === 'success' || status === 'error';
    return projectId === undefined || !isOver || revision >= (await this.first(workspaceId, functionId));
  }
}
