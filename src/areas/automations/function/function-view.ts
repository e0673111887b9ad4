import { type AccountFunction, versionOf } from './function.events.js';
import type { FunctionRecord, FunctionSummary } from './function-shapes.js';

export function functionRecord(fn: AccountFunction): FunctionRecord {
  const { workspaceId: _, ...record } = fn;
  return { ...record, version: versionOf(fn) };
}

export function functionSummary(fn: AccountFunction): FunctionSummary {
  const { id, name, description, summary, exposed, isActive, grants, updatedAt } = fn;
  return { id, name, description, summary, exposed, isActive, grants, updatedAt };
}
