import { Injectable } from '@nestjs/common';
import { TriggerDeletion } from '../areas/triggers/trigger-deletion.api.js';
import type { Call } from '../engine/operation/call.js';
import type { Saga } from '../engine/saga.js';
import type { RecordedEvent } from '../kernel/event.js';
import { parseStream } from '../kernel/stream-name.js';

/** Deletes the webhooks, schedules and mailhooks of a deleted function, flow or agent. Event triggers stay. */
@Injectable()
export class DeleteTriggersOfDeletedTargets implements Saga {
  readonly name = 'deleted-targets-take-their-triggers';
  readonly reads = ['FunctionDeleted', 'FlowDeleted', 'AgentRemoved'];

  constructor(private readonly triggers: TriggerDeletion) {}

  async react(event: RecordedEvent, call: (step: string) => Call): Promise<void> {
    const { workspaceId, id: targetRef } = parseStream(event.stream);
    const reason = event.type === 'FunctionDeleted' ? 'function-deleted' : 'target-gone';
    await this.triggers.ofTarget(workspaceId, targetRef, reason, call);
  }
}
