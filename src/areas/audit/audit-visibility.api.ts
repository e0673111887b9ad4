import type { Caller } from '../../kernel/callers/caller.js';
import { recordCategories, recordKind } from '../../kernel/record/record.js';

/**
 * The Owner, Admins and members with the permission see everything. Others see events of records that they may see, as
 * declared by each kind of record. Readings of the audit do not belong to any record.
 */
export function maySee(caller: Caller | undefined, kind: string): boolean {
  if (caller === undefined) return false;
  if (caller.permissions.has('audit.read')) return true;
  const needed = recordKind(kind)?.auditedFor;
  return needed !== undefined && caller.permissions.has(needed);
}

export const kindsSeen = (caller: Caller | undefined): readonly string[] | 'all' =>
  caller?.permissions.has('audit.read') ? 'all' : recordCategories().filter((kind) => maySee(caller, kind));
