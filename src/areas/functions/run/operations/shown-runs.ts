import { Injectable } from '@nestjs/common';
import { Reads } from '../../../../engine/scopes/reads.js';
import type { Where } from '../../../../kernel/record/projection.js';
import type { Run } from '../run.record.js';

/** Of each function of a site, the newest so many runs are kept (Sites API, Limits). */
export const mostRuns = 500;

/** Of runs that are over. */
export const over: Where = { status: { in: ['success', 'error'] } };

/** Which runs of a site's functions are shown: the newest ones, whether or not older ones are removed yet. */
@Injectable()
export class ShownRuns {
  constructor(private readonly reads: Reads) {}

  /** The revision of the first run of the function that is shown. */
  async first(workspaceId: string, functionId: string): Promise<number> {
    const where = { functionId, ...over };
    const newest = { where, sort: [['revision', 'desc']], skip: mostRuns - 1, limit: 1 } as const;
    const [oldest] = await this.reads.find<Run>(workspaceId, 'runs', newest);
    return oldest?.revision ?? 0;
  }

  /** Runs that are not over are shown, and all runs of the workspace's functions. */
  async isShown({ workspaceId, projectId, functionId, status, revision }: Run): Promise<boolean> {
    const isOver = status === 'success' || status === 'error';
    return projectId === undefined || !isOver || revision >= (await this.first(workspaceId, functionId));
  }
}
