import { Injectable } from '@nestjs/common';
import { Reads } from '../../../engine/scopes/reads.js';
import type { StepRun } from '../../../engine/step-work/step-run.record.js';
import { StepRuns } from '../../../engine/step-work/step-runs.js';
import { FlowRuns, flowDeleted } from './flow-runs.js';

@Injectable()
export class FlowRunEnding {
  constructor(
    private readonly reads: Reads,
    private readonly kind: FlowRuns,
    private readonly runs: StepRuns,
  ) {}

  /** Idempotent. If the flow was restored since, runs that began after the log position `deletedAt` continue. */
  async ofDeletedFlow(workspaceId: string, flowId: string, deletedAt: number): Promise<void> {
    const isRestored = (await this.kind.flowOf(workspaceId, flowId)) !== undefined;
    const where = {
      targetId: flowId,
      status: { in: ['queued', 'running', 'waiting'] },
      ...(isRestored ? { position: { lt: deletedAt } } : {}),
    };
    const open = await this.reads.find<StepRun>(workspaceId, this.kind.collection, { where });
    for (const { id } of open) await this.runs.stop(this.kind, workspaceId, id, flowDeleted);
  }
}
