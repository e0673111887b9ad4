import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { eventTargetKinds } from './event-trigger.record.js';

export class TriggerConfigShape {
  @Field({
    type: 'string',
    minLength: 1,
    maxLength: 200,
    optional: true,
    description: 'Which install an app.<name> event is for.',
  })
  installId?: string;
  @Field({ type: 'object', optional: true, description: 'Given to the target beside event and trigger; 8 KB.' })
  params?: JsonObject;
}

/** A trigger as operations answer it. */
export class TriggerRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) event!: string;
  @Field({ type: 'array', items: 'object' }) filters!: readonly object[];
  @Field({ type: 'string', enum: eventTargetKinds }) targetKind!: string;
  @Field({ type: 'string' }) targetRef!: string;
  @Field({ type: 'string', nullable: true, description: 'null: it is no longer there.' }) targetName!: string | null;
  @Field({ type: 'object', shape: () => TriggerConfigShape }) config!: object;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'string', format: 'date-time', nullable: true, description: 'Of runs that were started.' })
  lastFiredAt!: string | null;
  @Field({ type: 'integer', description: 'Runs that were started.' }) fireCount!: number;
}
