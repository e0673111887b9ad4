import { ignoredField, type UndoRecord, undoField } from '../../../engine/operation/gated-answer.js';
import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Flow } from './flow.record.js';
import { FlowStepShape } from './step-shapes.js';

export class FlowSecretShape {
  @Field({ type: 'string', minLength: 1, maxLength: 100 }) name!: string;
  @Field({
    type: 'array',
    items: 'string',
    maxItems: 100,
    description: "Hosts to which the secret may be sent, at least one. Limited to the secret's own allowedHosts.",
  })
  hosts!: readonly string[];
}

export class FlowRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) description!: string;
  @Field({ type: 'array', items: () => FlowStepShape }) steps!: readonly JsonObject[];
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'array', items: () => FlowSecretShape, description: 'Names and hosts. Values are never returned.' })
  secrets!: readonly FlowSecretShape[];
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({ type: 'string', format: 'date-time', description: 'Can be sent as seenUpdatedAt.' }) updatedAt!: string;
}

export class FlowWithSecrets extends FlowRecord {
  @Field(undoField) undo?: UndoRecord;
  @Field(ignoredField) ignored?: readonly string[];
}

export class FlowSummary {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) description!: string;
  @Field({ type: 'integer' }) stepCount!: number;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'string', format: 'date-time' }) updatedAt!: string;
}

export function flowRecord({
  id,
  name,
  description,
  steps,
  isActive,
  secrets,
  createdAt,
  updatedAt,
}: Flow): FlowRecord {
  const shown = steps as unknown as readonly JsonObject[];
  return { id, name, description, steps: shown, isActive, secrets, createdAt, updatedAt };
}

export function flowSummary({ id, name, description, steps, isActive, updatedAt }: Flow): FlowSummary {
  return { id, name, description, stepCount: steps.length, isActive, updatedAt };
}
