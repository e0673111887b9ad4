import type { Caller } from '../../../kernel/caller.js';
import { recordCategories, recordKind } from '../../../kernel/record.js';

/**
 * Owner and Admin, and who was granted it, read all. Anybody else reads what concerns records that they may see: each
 * kind of record says in its declaration whose those are. Readings of the audit are no records.
 */
export function maySee(caller: Caller | undefined, kind: string): boolean {
  if (caller === undefined) return false;
  if (caller.permissions.has('audit.read')) return true;
  const needed = recordKind(kind)?.auditedFor;
  return needed !== undefined && caller.permissions.has(needed);
}

export const kindsSeen = (caller: Caller | undefined): readonly string[] | 'all' =>
  caller?.permissions.has('audit.read') ? 'all' : recordCategories().filter((kind) => maySee(caller, kind));
