import { Injectable } from '@nestjs/common';
import { FlowRuns, flowDeleted } from '../areas/flows/flow-run/flow-runs.js';
import { Reads } from '../engine/reads.js';
import type { Saga } from '../engine/saga-runner.js';
import type { StepRun } from '../engine/step-work/step-run.record.js';
import { StepRuns } from '../engine/step-work/step-runs.js';
import type { RecordedEvent } from '../kernel/event.js';
import { parseStream } from '../kernel/stream-name.js';

/** Ends the runs of a deleted flow, including those that would have waited for days. */
@Injectable()
export class DeletedFlowsEndTheirRuns implements Saga {
  readonly name = 'deleted-flows-end-their-runs';
  readonly reads = ['FlowDeleted'];

  constructor(
    private readonly reader: Reads,
    private readonly kind: FlowRuns,
    private readonly runs: StepRuns,
  ) {}

  async react({ stream }: RecordedEvent): Promise<void> {
    const { workspaceId, id: targetId } = parseStream(stream);
    const where = { targetId, status: { in: ['queued', 'running', 'waiting'] } };
    const going = await this.reader.find<StepRun>(workspaceId, this.kind.collection, { where });
    for (const run of going) await this.runs.stop(this.kind, workspaceId, run.id, flowDeleted);
  }
}
