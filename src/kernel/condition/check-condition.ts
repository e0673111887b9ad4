import type { Condition, ConditionProblem, Policies } from './condition.js';
import { expand } from './expansion.js';
import { limits } from './limits.js';
import { pathWithin } from './path.js';
import type { Place } from './places.js';
import { readCondition } from './read-condition.js';
import { rulesOf } from './rules-of.js';

export interface Known {
  readonly policies: Policies;
  /**
   * Ids of the existing roles and functions. If one of the sets is omitted, references to its records are not checked.
   */
  readonly roles?: ReadonlySet<string>;
  readonly functions?: ReadonlySet<string>;
}

export const nothingKnown: Known = { policies: () => undefined };

export interface Setting extends Known {
  readonly place: Place;
  /** Set if the condition belongs to a policy. A reference back to this policy, direct or indirect, is an error. */
  readonly policyId?: string;
}

export type CheckedCondition =
  | {
      readonly ok: true;
      /**
       * The condition to be stored, frozen. If a scope was sent as a display label, the label is replaced by the value
       * in `scopes`.
       */
      readonly condition: Condition;
      readonly characters: number;
    }
  /** At most twenty problems. Each message completes a sentence about the value, as in `must be a text`. */
  | { readonly ok: false; readonly problems: readonly ConditionProblem[] };

/**
 * Validates the condition and all policies that it refers to, directly or indirectly (Sites API, Access Condition and
 * Limits). Never throws for JSON, however deep, large or odd. Before a policy is saved, all conditions that refer to it
 * must be checked again, with a function `policies` that returns the new version of the policy.
 */
export function checkCondition(sent: unknown, { place, policies, policyId, ...known }: Setting): CheckedCondition {
  const reading = readCondition(sent, 'sent');
  if (!reading.ok) return reading;
  // An empty condition denies everyone except the owner. A policy must not be empty, because its meaning inside another
  // condition would be unclear.
  if (reading.root === undefined && place === 'policy')
    return { ok: false, problems: [{ path: '', message: 'must not be empty' }] };
  const expansion = expand(reading, place, policies, policyId);
  if (!expansion.ok) return { ok: false, problems: [expansion.problem] };
  const unknown = unknownIn(reading.condition, known);
  if (unknown.length > 0) return { ok: false, problems: unknown };
  return { ok: true, condition: reading.condition, characters: reading.characters };
}

function unknownIn(condition: Condition, { roles, functions }: Omit<Known, 'policies'>): readonly ConditionProblem[] {
  const problems = rulesOf(condition).flatMap(({ rule, path }): readonly ConditionProblem[] => {
    if (rule.type === 'has_role' && roles?.has(rule.roleId) === false)
      return [{ path: pathWithin(path, 'roleId'), message: noneOf('role', rule.roleId) }];
    if (rule.type === 'function' && functions?.has(rule.functionId) === false)
      return [{ path: pathWithin(path, 'functionId'), message: noneOf('function', rule.functionId) }];
    return [];
  });
  return problems.slice(0, limits.problems);
}

const noneOf = (kind: string, id: string) =>
  `must be the id of a ${kind} of the site: it has none with the id ${JSON.stringify(id.slice(0, 60))}`;

export function wrongPolicySet(characters: readonly number[]): string | undefined {
  if (characters.length > limits.policiesOfASite) return `A site has at most ${limits.policiesOfASite} policies.`;
  const together = characters.reduce((sum, one) => sum + one, 0);
  return together > limits.policyCharactersOfASite
    ? `The policies of a site have at most ${limits.policyCharactersOfASite} characters together.`
    : undefined;
}
