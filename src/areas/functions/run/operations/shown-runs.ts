import { Injectable } from '@nestjs/common';
import { Reads } from '../../../../engine/scopes/reads.js';
import type { Where } from '../../../../kernel/record/projection.js';
import type { Run } from '../run.record.js';

/** Number of runs retained per function of a site, newest first (Sites API, Limits). */
export const mostRuns = 500;

/** Runs that have ended. */
export const over: Where = { status: { in: ['success', 'error'] } };

/**
 * Determines which runs of a site's functions are shown: the newest, whether or not retention has removed the others
 * yet.
 */
@Injectable()
export class ShownRuns {
  constructor(private readonly reads: Reads) {}

  /** The revision of the oldest run that is shown. */
  async first(workspaceId: string, functionId: string): Promise<number> {
    const where = { functionId, ...over };
    const newest = { where, sort: [['revision', 'desc']], skip: mostRuns - 1, limit: 1 } as const;
    const [oldest] = await this.reads.find<Run>(workspaceId, 'runs', newest);
    return oldest?.revision ?? 0;
  }

  /** Open runs are shown, and all runs of the workspace's functions. */
  async isShown({ workspaceId, projectId, functionId, status, revision }: Run): Promise<boolean> {
    const isOver = status === 'success' || status === 'error';
    return projectId === undefined || !isOver || revision >= (await this.first(workspaceId, functionId));
  }
}
