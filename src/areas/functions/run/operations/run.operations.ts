import { Operation } from '../../../../engine/operation/operation.js';
import { runSources } from '../../../../kernel/callers/starter.js';
import { Field } from '../../../../kernel/field/field.js';
import type { JsonObject } from '../../../../kernel/json/json.js';

const source = 'Automations API, Triggers and runs';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;

const draftToRun = {
  ...id,
  optional: true,
  description:
    'The open draft, run in the place of the live version, without Full data access and the identity mode. Persons only.',
} as const;

@Operation('automations/invokeFunction', {
  summary: 'Runs a function once and answers its result.',
  source: 'Automations API, Functions',
  group: 'functions',
  effect: 'command',
  permission: 'functions.run',
  tools: 'never',
  outside: ['runs code'],
  answers: {
    fields: {
      result: { type: 'any', description: 'Any JSON value.' },
      runId: { type: 'string' },
      logs: { type: 'array', items: 'object', optional: true, description: 'Where function logs are switched on.' },
    },
  },
})
export class InvokeFunction {
  @Field({ ...id, description: 'The id or the exact name.' }) id!: string;
  @Field({ type: 'object', optional: true, description: 'What the function gets as params.' }) event?: JsonObject;
  @Field(draftToRun) versionId?: string;
}

@Operation('site/invokeBackendFunction', {
  summary: 'Runs a function of a site once, as the owner. It does not show what a visitor may do.',
  source: 'Sites API, Backend functions',
  group: 'backend-functions',
  effect: 'command',
  permission: 'site.edit',
  within: 'project',
  tools: 'never',
  outside: ['runs code'],
  answers: {
    fields: {
      success: { type: 'boolean', description: 'Always true.' },
      data: { type: 'any', description: 'What the function returned.' },
      executionTime: { type: 'integer', description: 'Milliseconds.' },
      runId: { type: 'string' },
      logs: { type: 'array', items: 'object', optional: true, description: 'Where function logs are switched on.' },
    },
  },
})
export class InvokeBackendFunction {
  @Field(id) projectId!: string;
  @Field({ ...id, description: 'The exact name, not the id.' }) functionName!: string;
  @Field({ type: 'object', optional: true }) params?: JsonObject;
  @Field(draftToRun) versionId?: string;
}

export const ranAsDraft = {
  type: 'boolean',
  optional: true,
  description: 'true: a person ran the open draft, before it was live. Left out otherwise.',
} as const;

/** Sites API, Run record, extended with versions and attempts. */
export class RunRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) functionId!: string;
  @Field({ type: 'string' }) functionName!: string;
  @Field({ type: 'string', nullable: true }) scheduleId!: string | null;
  @Field({ type: 'string', description: 'The function version that ran.' }) version!: string;
  @Field(ranAsDraft) draft?: true;
  @Field({ type: 'string', enum: runSources })
  source!: string;
  @Field({ type: 'string', enum: ['queued', 'running', 'success', 'error'] }) status!: string;
  @Field({ type: 'string', description: 'In words.' }) startedBy!: string;
  @Field({ type: 'string', format: 'date-time' }) startedAt!: string;
  @Field({ type: 'string', format: 'date-time', nullable: true }) finishedAt!: string | null;
  @Field({ type: 'integer', nullable: true, description: 'Milliseconds, of the last attempt.' }) durationMs!:
    | number
    | null;
  @Field({ type: 'string', nullable: true, description: 'One plain line.' }) error!: string | null;
  @Field({ type: 'integer' }) attempt!: number;
  @Field({ type: 'array', items: 'object' }) attempts!: readonly object[];
  @Field({ type: 'string', format: 'date-time', nullable: true }) retryAt!: string | null;
  @Field({ type: 'string', nullable: true, description: 'The run that it repeats.' }) replayOf!: string | null;
  @Field({ type: 'string', nullable: true, description: 'Who asked for it again, in words.' })
  replayedBy!: string | null;
  @Field({ type: 'array', items: 'string', description: 'The latest runs that repeat it, oldest first.' })
  replays!: readonly string[];
  @Field({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'How long its input is kept for replayRun; null: it cannot be replayed.',
  })
  replayableUntil!: string | null;
}

@Operation('automations/listRuns', {
  summary: 'Lists the runs of a function, newest first.',
  source,
  group: 'runs',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: { list: RunRecord },
})
export class ListRuns {
  @Field(id) functionId!: string;
  @Field({ type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 }) limit?: number;
  @Field({ ...id, optional: true, description: 'The oldest run already held: answers those before it.' })
  before?: string;
}

@Operation('automations/getRunLog', {
  summary: 'Returns the console lines of one run.',
  source,
  group: 'runs',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: { fields: { lines: { type: 'array', items: 'object', description: '{ at, level, text }' } } },
})
export class GetRunLog {
  @Field(id) runId!: string;
}
