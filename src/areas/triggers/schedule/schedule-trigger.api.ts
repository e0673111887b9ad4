import { Field } from '../../../kernel/field/field.js';
import { keepInputField } from '../keep-input-field.js';
import { MissedOccurrences } from './missed-occurrences.api.js';
import type { OccurrenceLedger } from './occurrence.record.js';
import type { Schedule } from './schedule.record.js';
import { Timetable } from './timetable.js';

/**
 * The schedule trigger of the Automations API with four more fields: `blocked`, `overlap`, `keepInput` and `missed`.
 */
export class ScheduleTrigger {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) cronExpression!: string;
  @Field({ type: 'string' }) timezone!: string;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'string', format: 'date-time', nullable: true }) lastTriggered!: string | null;
  @Field({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'null while the schedule or its target is inactive.',
  })
  nextTrigger!: string | null;
  @Field({
    type: 'string',
    nullable: true,
    description: 'Why an active schedule starts nothing. null if it is not blocked.',
  })
  blocked!: string | null;
  @Field({ type: 'string', enum: ['allow', 'skip'] }) overlap!: 'allow' | 'skip';
  @Field(keepInputField) keepInput!: boolean;
  @Field({
    type: 'object',
    shape: () => MissedOccurrences,
    nullable: true,
    description:
      'How many occurrences were missed because no process was running to fire them, and when the last one was.',
  })
  missed!: MissedOccurrences | null;
}

interface ScheduleNow {
  /** Omitted for a schedule of which no occurrence was taken yet. */
  readonly ledger?: OccurrenceLedger | undefined;
  readonly blocked: string | null;
  readonly targetIsActive: boolean;
  readonly now: number;
}

export function scheduleTrigger(schedule: Schedule, at: ScheduleNow): ScheduleTrigger {
  const { id, cronExpression, timezone, isActive, overlap, keepInput } = schedule;
  const { ledger, blocked, targetIsActive, now } = at;
  const fires = isActive && targetIsActive && blocked === null;
  const next = fires ? new Timetable(schedule, ledger).next(now) : undefined;
  return {
    id,
    cronExpression,
    timezone,
    isActive,
    lastTriggered: ledger?.lastTriggered ?? null,
    nextTrigger: next === undefined ? null : new Date(next.at).toISOString(),
    blocked,
    overlap,
    keepInput,
    missed: ledger?.missed ?? null,
  };
}
