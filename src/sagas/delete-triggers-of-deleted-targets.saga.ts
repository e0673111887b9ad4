import { Injectable } from '@nestjs/common';
import { TriggerDeletion } from '../areas/triggers/trigger-deletion.api.js';
import type { Call } from '../engine/operation/call.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';

/**
 * Deletes the webhooks, schedules and mailhooks of a deleted function, flow or agent. Event triggers stay. When the target
 * is brought back, those that went with it come back: here, so that both are done in the order of the log.
 */
@Injectable()
export class DeleteTriggersOfDeletedTargets implements Saga {
  readonly name = 'deleted-targets-take-their-triggers';
  readonly reads = [
    'FunctionDeleted',
    'FlowDeleted',
    'AgentRemoved',
    'FunctionRestored',
    'FlowRestored',
    'AgentRestored',
  ];

  constructor(private readonly triggers: TriggerDeletion) {}

  async react(event: RecordedEvent, call: (step: string) => Call): Promise<void> {
    const { workspaceId, id: targetRef } = parseStream(event.stream);
    if ('restores' in event.data) {
      return this.triggers.backWithTarget(workspaceId, String(event.data.restores), call);
    }
    const reason = event.type === 'FunctionDeleted' ? 'function-deleted' : 'target-gone';
    await this.triggers.ofTarget(workspaceId, targetRef, reason, call);
  }
}
