import { Operation } from '../../../../engine/operation/operation.js';
import { runSources } from '../../../../kernel/callers/starter.js';
import { Field } from '../../../../kernel/field/field.js';
import { idField } from '../../../../kernel/field/plain-text.js';
import { ranAsDraft } from './run.operations.js';

const source = 'Sites API, Schedules and runs';
const group = 'site-runs';
const ends = ['success', 'error'] as const;

/** Sites API, Run record. */
export class SiteRunRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string', nullable: true, description: 'null: a schedule fired at a function that was gone.' })
  functionId!: string | null;
  @Field({ type: 'string' }) functionName!: string;
  @Field({ type: 'string', nullable: true }) scheduleId!: string | null;
  @Field(ranAsDraft) draft?: true;
  @Field({ type: 'string', enum: runSources }) source!: string;
  @Field({ type: 'string', enum: ends }) status!: string;
  @Field({ type: 'string', format: 'date-time' }) startedAt!: string;
  @Field({ type: 'string', format: 'date-time' }) finishedAt!: string;
  @Field({ type: 'integer', description: 'Milliseconds.' }) durationMs!: number;
  @Field({ type: 'string', nullable: true, description: 'One plain line.' }) error!: string | null;
}

export class ListedSiteRun extends SiteRunRecord {
  @Field({ type: 'string', optional: true, description: 'In words; where the Runs tab is switched on.' })
  startedBy?: string;
}

@Operation('site/listFunctionRuns', {
  summary: "Lists the runs of a site's functions that have ended, newest first.",
  source,
  group,
  effect: 'query',
  permission: 'site.read',
  within: 'project',
  tools: 'granted',
  answers: { fields: { runs: { type: 'array', items: () => ListedSiteRun } } },
})
export class ListFunctionRuns {
  @Field(idField) projectId!: string;
  @Field({ ...idField, optional: true }) functionId?: string;
  @Field({ ...idField, optional: true }) scheduleId?: string;
  @Field({ type: 'string', enum: ends, optional: true }) status?: 'success' | 'error';
  @Field({ type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 }) limit?: number;
  @Field({
    ...idField,
    optional: true,
    description: 'The oldest run already held: answers those before it, where the Runs tab is switched on.',
  })
  before?: string;
}

@Operation('site/getFunctionRun', {
  summary: "Returns one run of a site's function that has ended.",
  source,
  group,
  effect: 'query',
  permission: 'site.read',
  within: 'project',
  tools: 'granted',
  answers: { record: SiteRunRecord },
})
export class GetFunctionRun {
  @Field(idField) projectId!: string;
  @Field(idField) runId!: string;
}
