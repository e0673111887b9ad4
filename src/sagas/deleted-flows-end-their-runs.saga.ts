import { Injectable } from '@nestjs/common';
import { FlowRunEnding } from '../areas/flows/flow-run/flow-run-ending.api.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';

/** Ends the runs of a deleted flow, including those that would have waited for days. */
@Injectable()
export class DeletedFlowsEndTheirRuns implements Saga {
  readonly name = 'deleted-flows-end-their-runs';
  readonly reads = ['FlowDeleted'];

  constructor(private readonly ending: FlowRunEnding) {}

  async react({ stream }: RecordedEvent): Promise<void> {
    const { workspaceId, id } = parseStream(stream);
    await this.ending.ofDeletedFlow(workspaceId, id);
  }
}
