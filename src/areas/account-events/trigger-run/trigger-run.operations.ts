import { Operation } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { skipReasons } from './trigger-run.record.js';

const id = { type: 'string', minLength: 1, maxLength: 200 } as const;

export class TriggerRunRecord {
  @Field({ type: 'string', description: 'Of the run of its target as well.' }) id!: string;
  @Field({ type: 'string' }) triggerId!: string;
  @Field({ type: 'string', enum: ['queued', 'ok', 'failed', 'skipped'] }) status!: string;
  @Field({ type: 'string', enum: skipReasons, nullable: true, description: 'Why it was skipped.' })
  reason!: string | null;
  @Field({ type: 'integer' }) attempts!: number;
  @Field({ type: 'object', description: '{ id, name, source, origin, subject, properties, occurredAt }' })
  event!: object;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({ type: 'string', format: 'date-time', nullable: true }) finishedAt!: string | null;
}

@Operation('accountEvents/eventTriggerRuns', {
  summary: 'Lists what triggers did, newest first; kept for 30 days.',
  source: 'Account Events API, Endpoints',
  group: 'event-triggers',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: { list: TriggerRunRecord },
})
export class EventTriggerRuns {
  @Field({ ...id, optional: true, description: 'Also of one that was removed.' }) triggerId?: string;
  @Field({ type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 }) limit?: number;
  @Field({ ...id, optional: true, description: 'The oldest run already held: answers those before it.' })
  before?: string;
}
