import { Operation, success } from '../../../engine/operation/operation.js';
import { changes } from '../../../engine/records/record-operations.js';
import { cronPattern } from '../../../kernel/cron/cron.js';
import { Field } from '../../../kernel/field/field.js';
import { switchesTrigger } from '../switch-trigger.js';
import { deleteSchedule, switchSchedule } from './schedule.js';
import { schedules } from './schedule.record.js';

const source = 'Automations API, Triggers and runs';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;
const expression = 'Five fields: minute, hour, day of month, month, day of week. Two that name days mean either.';

export const cronField = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  schema: { pattern: cronPattern },
  description: expression,
} as const;
export const timezoneField = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  optional: true,
  default: 'UTC',
  description: 'A name of the IANA database, whose clocks the expression is read by.',
} as const;
export const overlapField = {
  type: 'string',
  enum: ['allow', 'skip'],
  optional: true,
  default: 'allow',
  description: "What happens while the run before is queued or going: 'skip' starts no second one beside it.",
} as const;

@Operation('automations/createSchedule', {
  summary: 'Starts a function, flow or AI agent at the times of a cron expression.',
  source,
  group: 'schedules',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  answers: {
    fields: {
      id: { type: 'string' },
      nextTrigger: {
        type: 'string',
        format: 'date-time',
        nullable: true,
        description: 'Null while what it starts is switched off.',
      },
    },
  },
})
export class CreateSchedule {
  @Field({ ...id, optional: true, description: 'The account function to run; or targetKind with targetRef.' })
  functionId?: string;
  @Field({ type: 'string', enum: ['site_function', 'flow', 'specialist', 'agent'], optional: true })
  targetKind?: 'site_function' | 'flow' | 'specialist' | 'agent';
  @Field({ ...id, optional: true, description: 'The id of the target.' }) targetRef?: string;
  @Field(cronField) cronExpression!: string;
  @Field(timezoneField) timezone?: string;
  @Field(overlapField) overlap?: 'allow' | 'skip';
}

@Operation('automations/setScheduleActive', {
  summary: 'Switches a schedule on or off. What fell due while it was off is not caught up.',
  source,
  group: 'schedules',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  answers: success,
})
export class SetScheduleActive {
  @Field(id) id!: string;
  @Field({ type: 'boolean' }) isActive!: boolean;
}

@Operation('automations/deleteSchedule', {
  summary: 'Deletes a schedule.',
  source,
  group: 'schedules',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  takesAway: true,
  answers: success,
})
export class DeleteSchedule {
  @Field(id) id!: string;
}

export const scheduleHandlers = [
  switchesTrigger(SetScheduleActive, schedules, switchSchedule),
  changes(DeleteSchedule, schedules, () => deleteSchedule('asked')),
];
