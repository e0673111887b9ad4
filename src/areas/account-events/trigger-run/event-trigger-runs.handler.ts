import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { newestFirst } from '../../../engine/records/record-operations.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { RecordScopes, type Resource } from '../../../engine/scopes/record-scopes.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { EventTriggerRuns, TriggerRunRecord } from './trigger-run.operations.js';
import type { FiredEvent, FiringEvent, TriggerRun } from './trigger-run.record.js';

/** What the event tells of. */
function subjectOf(event: object): Resource {
  const { type, id } = (event as FiredEvent).subject;
  return { kind: String(type), id: String(id) };
}

@QueryHandler(EventTriggerRuns)
export class EventTriggerRunsHandler {
  constructor(
    private readonly reads: Reads,
    private readonly scopes: RecordScopes,
  ) {}

  async execute(input: EventTriggerRuns): Promise<readonly TriggerRunRecord[]> {
    const call = callOf(input);
    const { workspaceId } = call;
    const { triggerId } = input;
    if (triggerId !== undefined) await this.scopes.mustBeOpen(call, { kind: 'eventTrigger', id: triggerId });
    const runs = await newestFirst<TriggerRun>(this.reads, workspaceId, 'triggerRuns', input, {
      where: triggerId === undefined ? {} : { triggerId },
      by: 'position',
      missing: () => refuse('trigger-run-not-found'),
    });
    const isOpen = this.scopes.judge(call);
    const found = await this.withEvents(workspaceId, runs);
    const verdicts = await Promise.all(found.map(({ event }) => isOpen(subjectOf(event))));
    return found.filter((_, index) => verdicts[index]);
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
