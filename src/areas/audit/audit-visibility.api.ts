import type { Caller } from '../../kernel/callers/caller.js';
import { recordCategories, recordKind } from '../../kernel/record/record.js';

/**
 * Whether the caller may see the audit events of this kind of record. Callers with the permission `audit.read` see all
 * events. Other callers see only events of kinds of records that they may read, and none of the kind `auditReading`,
 * which belong to no record.
 */
export function maySee(caller: Caller | undefined, kind: string): boolean {
  if (caller === undefined) return false;
  if (caller.permissions.has('audit.read')) return true;
  const needed = recordKind(kind)?.auditedFor;
  return needed !== undefined && caller.permissions.has(needed);
}

export const kindsSeen = (caller: Caller | undefined): readonly string[] | 'all' =>
  caller?.permissions.has('audit.read') ? 'all' : recordCategories().filter((kind) => maySee(caller, kind));
