import { CommandHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { CauseDepth } from '../cause-depth.js';
import { CurrentTriggers } from '../event-trigger/current-triggers.api.js';
import { Raise } from './account-event.operations.js';
import { AccountEventRecord, type Raised } from './account-event-record.js';
import { laneOf } from './event-lane.api.js';

/** For a key used before, counts the triggers of the event that was recorded with it. */
@CommandHandler(Raise)
export class RaiseHandler {
  constructor(
    private readonly events: AccountEventRecord,
    private readonly depth: CauseDepth,
    private readonly triggers: CurrentTriggers,
  ) {}

  async execute(input: Raise): Promise<Raised & { readonly matched: number }> {
    const call = callOf(input);
    const raisedBy = { ...input, neverDeletes: call.caller?.neverDeletes };
    const depth = await this.depth.of(call.workspaceId, call.causationId);
    const { raised, facts } = await this.events.keep(call, raisedBy, laneOf(call.actor.kind), depth);
    return { ...raised, matched: await this.triggers.count(call.workspaceId, facts) };
  }
}
