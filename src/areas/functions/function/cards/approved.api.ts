import { isDeepStrictEqual } from 'node:util';
import { isNarrower } from '../../../../kernel/actors/run-by.js';
import type { Guard, GuardedFunction } from '../../../access/policy/led-from.api.js';
import { type AccessRules, type FunctionDocument, hasFullDataAccess } from '../function.record.js';

type Guarded = Pick<FunctionDocument, 'capabilities' | 'identityMode' | 'secrets' | 'grants'>;

export function guardOf(fn: Guarded): Guard {
  if (hasFullDataAccess(fn)) return 'card';
  return hasHoldings(fn) ? 'person' : 'none';
}

export const hasHoldings = ({ secrets, capabilities, grants }: Omit<Guarded, 'identityMode'>): boolean =>
  secrets.length + capabilities.length + grants.connections.length + grants.serviceTools.length > 0;

export function guardedAmong(functions: readonly FunctionDocument[]): readonly GuardedFunction[] {
  return functions.flatMap((fn): readonly GuardedFunction[] => {
    const guard = guardOf(fn);
    if (guard === 'none') return [];
    const { id, name, accessRules, draft } = fn;
    return [{ id, name, guard, rules: [accessRules.execute, draft?.accessRules.execute] }];
  });
}

export const others = 'who may start or execute a function that it did not create, except to admit fewer callers';

/** Returns true only if the rules `to` provably admit no caller that the rules `from` refuse. */
export function isNoWider(to: AccessRules, from: AccessRules): boolean {
  const { execute } = to;
  const admitsNone = execute === null || (Array.isArray(execute) && execute.length === 0);
  return isNarrower(to.runBy, from.runBy) && (admitsNone || isDeepStrictEqual(execute, from.execute));
}
