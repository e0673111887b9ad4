import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { Reads } from '../../../engine/reads.js';
import { newestFirst } from '../../../engine/record-operations.js';
import { refuse } from '../../../kernel/refusal.js';
import { EventTriggerRuns, TriggerRunRecord } from './trigger-run.operations.js';
import type { FiringEvent, TriggerRun } from './trigger-run.record.js';

@QueryHandler(EventTriggerRuns)
export class EventTriggerRunsHandler {
  constructor(private readonly reads: Reads) {}

  async execute(input: EventTriggerRuns): Promise<readonly TriggerRunRecord[]> {
    const { workspaceId } = callOf(input);
    const { triggerId } = input;
    const runs = await newestFirst<TriggerRun>(this.reads, workspaceId, 'triggerRuns', input, {
      where: triggerId === undefined ? {} : { triggerId },
      by: 'position',
      missing: () => refuse('trigger-run-not-found'),
    });
    return this.withEvents(workspaceId, runs);
  }

  /** An event that fired many triggers is stored only once. */
  private async withEvents(workspaceId: string, runs: readonly TriggerRun[]): Promise<readonly TriggerRunRecord[]> {
    const ids = [...new Set(runs.map(({ eventId }) => eventId))];
    const found = await this.reads.find<FiringEvent>(workspaceId, 'firingEvents', { where: { id: { in: ids } } });
    const events = new Map(found.map(({ id, event }) => [id, event]));
    return runs.flatMap((run) => {
      const event = events.get(run.eventId);
      return event === undefined ? [] : [shown(TriggerRunRecord, { ...run, event })];
    });
  }
}
