import { isDeepStrictEqual } from 'node:util';

/**
 * Returns the doors of a record, one for each condition that decides who gets in. A door returns the condition that
 * decides there in a state of the record.
 */
export type Doors<State> = (state: State) => readonly ((state: State) => unknown)[];

/**
 * True if a door of the record has a condition that can admit people without a sign-in, and did not have the same
 * condition before. Policies, functions and `not` can admit such people.
 */
export function opensDoor<State>(doors: Doors<State>, before: State | undefined, after: State | undefined): boolean {
  if (after === undefined) return false;
  return doors(after).some((door) => {
    const condition = door(after);
    const former = before && door(before);
    // Most conditions are the same objects as before, which needs no closer look.
    return condition !== former && mayAdmitAnyone(condition) && !isDeepStrictEqual(condition, former);
  });
}

function mayAdmitAnyone(condition: unknown): boolean {
  if (typeof condition !== 'object' || condition === null) return false;
  const { type, policy } = condition as { readonly type?: unknown; readonly policy?: unknown };
  if (type === 'public' || type === 'function' || policy !== undefined || Object.hasOwn(condition, 'not')) return true;
  return Object.values(condition).some(mayAdmitAnyone);
}
