import { runSources } from '../../../../kernel/callers/starter.js';
import { Field } from '../../../../kernel/field/field.js';

export const ranAsDraft = {
  type: 'boolean',
  optional: true,
  description: 'true if a person ran the open draft. Omitted otherwise.',
} as const;

export const siteRunEnds = ['success', 'error'] as const;

export class SiteRunRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({
    type: 'string',
    nullable: true,
    description: 'null if a schedule fired for a function that no longer existed.',
  })
  functionId!: string | null;
  @Field({ type: 'string' }) functionName!: string;
  @Field({ type: 'string', nullable: true }) scheduleId!: string | null;
  @Field(ranAsDraft) draft?: true;
  @Field({ type: 'string', enum: runSources }) source!: string;
  @Field({ type: 'string', enum: siteRunEnds }) status!: string;
  @Field({ type: 'string', format: 'date-time' }) startedAt!: string;
  @Field({ type: 'string', format: 'date-time' }) finishedAt!: string;
  @Field({ type: 'integer', description: 'Duration in milliseconds.' }) durationMs!: number;
  @Field({ type: 'string', nullable: true, description: 'One line. null if the run succeeded.' }) error!: string | null;
}

export class ListedSiteRun extends SiteRunRecord {
  @Field({
    type: 'string',
    optional: true,
    description: 'Description of who or what started the run. Only present if the Runs tab is enabled.',
  })
  startedBy?: string;
}
