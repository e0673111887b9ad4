import { runSources } from '../../../../kernel/callers/starter.js';
import { Field } from '../../../../kernel/field/field.js';

export const ranAsDraft = {
  type: 'boolean',
  optional: true,
  description: 'true: a person ran the open draft, before it was live. Left out otherwise.',
} as const;

export const siteRunEnds = ['success', 'error'] as const;

/** A run record (Sites API). */
export class SiteRunRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string', nullable: true, description: 'null: a schedule fired at a function that was gone.' })
  functionId!: string | null;
  @Field({ type: 'string' }) functionName!: string;
  @Field({ type: 'string', nullable: true }) scheduleId!: string | null;
  @Field(ranAsDraft) draft?: true;
  @Field({ type: 'string', enum: runSources }) source!: string;
  @Field({ type: 'string', enum: siteRunEnds }) status!: string;
  @Field({ type: 'string', format: 'date-time' }) startedAt!: string;
  @Field({ type: 'string', format: 'date-time' }) finishedAt!: string;
  @Field({ type: 'integer', description: 'Milliseconds.' }) durationMs!: number;
  @Field({ type: 'string', nullable: true, description: 'One plain line.' }) error!: string | null;
}

export class ListedSiteRun extends SiteRunRecord {
  @Field({ type: 'string', optional: true, description: 'In words; where the Runs tab is switched on.' })
  startedBy?: string;
}
