import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Scopes } from '../../../engine/scopes/scopes.js';
import { ListEventTriggers } from './event-trigger.operations.js';
import { type EventTrigger, eventTargetKindOf } from './event-trigger.record.js';
import type { TriggerRecord } from './trigger-record.api.js';
import { TriggerView } from './trigger-view.js';

@QueryHandler(ListEventTriggers)
export class ListEventTriggersHandler {
  constructor(
    private readonly reads: Reads,
    private readonly view: TriggerView,
    private readonly scopes: Scopes,
  ) {}

  async execute(input: ListEventTriggers): Promise<readonly TriggerRecord[]> {
    const { targetKind, targetRef } = input;
    const call = callOf(input);
    const { workspaceId } = call;
    const triggers = await this.reads.find<EventTrigger>(workspaceId, 'eventTriggers', {
      where: {
        ...(targetKind === undefined ? {} : { targetKind: eventTargetKindOf(targetKind) }),
        ...(targetRef === undefined ? {} : { targetRef }),
      },
      sort: [['createdAt', 'asc']],
    });
    return this.view.all(workspaceId, await this.scopes.allowed(call, triggers));
  }
}
