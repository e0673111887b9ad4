import type { Condition, Policies } from '../../../kernel/condition/condition.js';
import { judge } from '../../../kernel/judging/judge.js';
import type { Page } from './page.record.js';

type Flags = Pick<Page, 'isProtected' | 'requiredRole'>;

/**
 * A page is protected if visitors who have not signed in have no access. The required role is set only if the condition
 * is exactly that role.
 */
export function flagsOfRule(read: Condition | undefined, policies: Policies): Flags {
  const isOpen = judge(read, { now: 0, place: 'page', throughSite: true }, policies).isAllowed;
  return isOpen ? { isProtected: false, requiredRole: null } : { isProtected: true, requiredRole: roleOf(read) };
}

function roleOf(read: Condition | undefined): string | null {
  if (read === undefined) return null;
  if (isList(read)) return read.length === 1 ? roleOf(read[0]) : null;
  return 'type' in read && read.type === 'has_role' ? read.roleId : null;
}

const isList = (condition: Condition): condition is Extract<Condition, readonly unknown[]> => Array.isArray(condition);
