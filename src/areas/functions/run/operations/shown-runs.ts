import { Injectable } from '@nestjs/common';
import { Reads } from '../../../../engine/scopes/reads.js';
import type { Where } from '../../../../kernel/record/projection.js';
import type { Run } from '../run.record.js';

/** Number of newest runs retained for each function of a site (Sites API, Limits). */
export const mostRuns = 500;

/** Selects runs that have ended. */
export const over: Where = { status: { in: ['success', 'error'] } };

/** Hides runs of a site's functions beyond the newest `mostRuns`, even if retention has not removed them yet. */
@Injectable()
export class ShownRuns {
  constructor(private readonly reads: Reads) {}

  /** Returns the journal revision of the oldest run that is shown, or 0 if all runs are shown. */
  async first(workspaceId: string, functionId: string): Promise<number> {
    const where = { functionId, ...over };
    const newest = { where, sort: [['revision', 'desc']], skip: mostRuns - 1, limit: 1 } as const;
    const [oldest] = await this.reads.find<Run>(workspaceId, 'runs', newest);
    return oldest?.revision ?? 0;
  }

  /** Whether the run is shown. Open runs and runs of workspace functions always are. */
  async isShown({ workspaceId, projectId, functionId, status, revision }: Run): Promise<boolean> {
    const isOver = status === 'success' || status === 'error';
    return projectId === undefined || !isOver || revision >= (await this.first(workspaceId, functionId));
  }
}
