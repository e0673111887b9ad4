import { Injectable } from '@nestjs/common';
import { type KnownTarget, type TargetHandler, type TargetStart, Targets } from '../../../engine/scopes/targets.js';
import { StepRuns } from '../../../engine/step-work/step-runs.js';
import { flows } from '../flow/flow.record.js';
import { FlowRuns } from './flow-runs.js';
import { FlowStarts } from './flow-starts.js';

@Injectable()
export class FlowTarget implements TargetHandler {
  constructor(
    private readonly kind: FlowRuns,
    private readonly starts: FlowStarts,
    private readonly runs: StepRuns,
    targets: Targets,
  ) {
    targets.register('flow', this);
  }

  async find(workspaceId: string, ref: string): Promise<KnownTarget | undefined> {
    const flow = await this.kind.flowOf(workspaceId, ref);
    return flow && { name: flow.name, isActive: flow.isActive };
  }

  isGoing(workspaceId: string, runId: string): Promise<boolean | undefined> {
    return this.runs.isGoing(this.kind, workspaceId, runId);
  }

  async start(starts: readonly TargetStart[]): Promise<void> {
    const found = await Promise.all(
      starts.map(async (start) => ({
        start,
        flow: (await this.kind.flowOf(start.workspaceId, start.target.ref)) ?? flows.missing(),
      })),
    );
    await Promise.all(
      found.map(({ flow, start }) =>
        flow.isActive ? this.starts.accept(flow, start) : this.starts.refuse(flow, start),
      ),
    );
  }
}
