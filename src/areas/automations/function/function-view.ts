import { createHash } from 'node:crypto';
import type { AccountFunction } from './function.events.js';
import type { FunctionRecord, FunctionSummary } from './function-shapes.js';

/** Changes whenever anything stored of the function changes (settled question Q-G12). */
export function versionOf(fn: AccountFunction): string {
  return createHash('sha256').update(JSON.stringify(fn)).digest('hex').slice(0, 32);
}

export function functionRecord(fn: AccountFunction): FunctionRecord {
  const { workspaceId: _, ...record } = fn;
  return { ...record, version: versionOf(fn) };
}

export function functionSummary(fn: AccountFunction): FunctionSummary {
  const { id, name, description, summary, exposed, isActive, grants, updatedAt } = fn;
  return { id, name, description, summary, exposed, isActive, grants, updatedAt };
}
