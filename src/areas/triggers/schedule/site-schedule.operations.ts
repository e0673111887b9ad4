import { Operation, success } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { MissedOccurrences } from './missed-occurrences.api.js';
import { cronField, overlapField, timezoneField } from './schedule.operations.js';

const source = 'Sites API, Schedules and runs';
const group = 'site-schedules';
const nullableTime = { type: 'string', format: 'date-time', nullable: true } as const;
const nullableText = { type: 'string', nullable: true } as const;
const functionName = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  optional: true,
  description: 'The exact name of a function of the site.',
} as const;
const params = {
  type: 'object',
  optional: true,
  description: 'Passed to the function beside _schedule; 16 KB.',
} as const;
const isActive = { type: 'boolean', optional: true } as const;

export class SiteScheduleRecord {
  @Field({ type: 'string' }) id!: string;
  @Field(nullableText) name!: string | null;
  @Field({ ...nullableText, description: 'Of the site. null: it is gone, or an account function is started.' })
  functionId!: string | null;
  @Field({ ...nullableText, description: 'Of what it starts; where that is gone, its last name.' })
  functionName!: string | null;
  @Field({ type: 'string', enum: ['site_function', 'account_function'] }) targetKind!: string;
  @Field({ type: 'string' }) targetRef!: string;
  @Field({ type: 'string' }) cronExpression!: string;
  @Field({ type: 'string' }) timezone!: string;
  @Field({ type: 'object' }) params!: JsonObject;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field(nullableTime) lastRunAt!: string | null;
  @Field({ ...nullableTime, description: 'null while it, its function or the plan is off.' }) nextRunAt!: string | null;
  @Field({ ...nullableText, description: 'Why it starts nothing although it is active.' }) blocked!: string | null;
  @Field({ type: 'string', enum: ['allow', 'skip'] }) overlap!: string;
  @Field({ type: 'object', shape: () => MissedOccurrences, nullable: true }) missed!: MissedOccurrences | null;
}

@Operation('site/listSchedules', {
  summary: 'Lists the schedules of a site, oldest first.',
  source,
  group,
  effect: 'query',
  permission: 'site.read',
  within: 'project',
  tools: 'granted',
  answers: { list: SiteScheduleRecord },
})
export class ListSiteSchedules {
  @Field(idField) projectId!: string;
}

@Operation('site/createSchedule', {
  summary: 'Starts a function of a site, or one of the workspace, at the times of a cron expression.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  within: 'project',
  tools: 'granted',
  answers: { record: SiteScheduleRecord },
})
export class CreateSiteSchedule {
  @Field(idField) projectId!: string;
  @Field(cronField) cronExpression!: string;
  @Field({ ...functionName, description: `${functionName.description} Or targetKind with targetRef.` })
  functionName?: string;
  @Field({ type: 'string', enum: ['account_function'], optional: true }) targetKind?: 'account_function';
  @Field({ ...idField, optional: true, description: 'The id of the account function.' }) targetRef?: string;
  @Field(timezoneField) timezone?: string;
  @Field({ ...nameField, optional: true }) name?: string;
  @Field(params) params?: JsonObject;
  @Field({ ...isActive, default: true }) isActive?: boolean;
  @Field(overlapField) overlap?: 'allow' | 'skip';
}

@Operation('site/updateSchedule', {
  summary: 'Updates a schedule of a site. It starts the same kind of function as before.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  within: 'project',
  tools: 'granted',
  answers: { record: SiteScheduleRecord },
})
export class UpdateSiteSchedule {
  @Field(idField) projectId!: string;
  @Field(idField) id!: string;
  @Field({ ...functionName, description: 'The exact name of another function of the same kind.' })
  functionName?: string;
  @Field({ ...cronField, optional: true }) cronExpression?: string;
  @Field({ type: 'string', minLength: 1, maxLength: 100, optional: true }) timezone?: string;
  @Field({ ...nameField, optional: true }) name?: string;
  @Field(params) params?: JsonObject;
  @Field(isActive) isActive?: boolean;
}

@Operation('site/deleteSchedule', {
  summary: 'Deletes a schedule of a site.',
  source,
  group,
  effect: 'command',
  permission: 'site.edit',
  within: 'project',
  tools: 'granted',
  takesAway: true,
  answers: success,
})
export class DeleteSiteSchedule {
  @Field(idField) projectId!: string;
  @Field(idField) id!: string;
}
