import { QueryHandler } from '@nestjs/cqrs';
import type { FiringEvent, TriggerRun } from '../../../../projections/account-events/trigger-run.projection.js';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { refuse } from '../../../kernel/refusal.js';
import { EventTriggerRuns, type TriggerRunRecord } from './trigger-run.operations.js';
import type { FiredEvent } from './trigger-run.record.js';

@QueryHandler(EventTriggerRuns)
export class EventTriggerRunsHandler {
  constructor(private readonly reads: Reads) {}

  async execute(input: EventTriggerRuns): Promise<readonly TriggerRunRecord[]> {
    const { workspaceId } = callOf(input);
    const { triggerId, limit = 50, before } = input;
    const held =
      before === undefined ? undefined : await this.reads.get<TriggerRun>(workspaceId, 'triggerRuns', before);
    if (before !== undefined && held === undefined) return refuse('trigger-run-not-found');
    const runs = await this.reads.find<TriggerRun>(workspaceId, 'triggerRuns', {
      where: triggerId === undefined ? {} : { triggerId },
      sort: [['position', 'desc']],
      limit,
      ...(held === undefined ? {} : { after: [held.position, held.id] }),
    });
    return this.withEvents(workspaceId, runs);
  }

  /** What many triggers fired for is kept once. */
  private async withEvents(workspaceId: string, runs: readonly TriggerRun[]): Promise<readonly TriggerRunRecord[]> {
    const ids = [...new Set(runs.map(({ eventId }) => eventId))];
    const found = await this.reads.find<FiringEvent>(workspaceId, 'firingEvents', { where: { id: { in: ids } } });
    const events = new Map(found.map(({ id, event }) => [id, event]));
    return runs.flatMap((run) => {
      const event = events.get(run.eventId);
      return event === undefined ? [] : [recordOf(run, event)];
    });
  }
}

function recordOf(run: TriggerRun, event: FiredEvent): TriggerRunRecord {
  const { id, triggerId, status, reason, attempts, createdAt, finishedAt } = run;
  return { id, triggerId, status, reason, attempts, event, createdAt, finishedAt };
}
