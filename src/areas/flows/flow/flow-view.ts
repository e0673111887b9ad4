import type { JsonObject } from '../../../kernel/json.js';
import type { Flow } from './flow.record.js';
import type { FlowRecord, FlowSummary } from './flow-shapes.js';

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
