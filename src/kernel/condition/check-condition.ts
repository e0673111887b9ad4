import type { Condition, Policies, Problem } from './condition.js';
import { expand } from './expansion.js';
import { limits } from './limits.js';
import type { Place } from './places.js';
import { readCondition } from './read-condition.js';

/** Where a condition is about to be saved. */
export interface Setting {
  readonly place: Place;
  readonly policies: Policies;
  /** Of the policy that is changed, when it is one: nothing it refers to may lead back to it. */
  readonly policyId?: string;
}

export type Checked =
  | {
      readonly ok: true;
      /** Frozen, of the exact shape, with the levels of public rules in their short form. */
      readonly condition: Condition;
      /** Of its JSON text. */
      readonly characters: number;
    }
  /** At most twenty; a path ends at what is wrong, and the message goes on from it: `must be a text`. */
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Judges a condition that somebody sends, and everything its policies lead to (Sites API, Access Condition and Limits).
 * Never throws on JSON, however deep, large or odd; its work is bounded by the limits and the size of what was sent.
 *
 * A change of one policy can break what refers to it: whoever saves a policy also checks those conditions again, with
 * `policies` answering the new one.
 */
export function checkCondition(sent: unknown, { place, policies, policyId }: Setting): Checked {
  const reading = readCondition(sent, 'sent');
  if (!reading.ok) return reading;
  // Denies everybody but the owner; what that would mean inside another condition, nobody could guess.
  if (reading.root === undefined && place === 'policy')
    return { ok: false, problems: [{ path: '', message: 'must not be empty' }] };
  const expansion = expand(reading, place, policies, policyId);
  if (!expansion.ok) return { ok: false, problems: [expansion.problem] };
  return { ok: true, condition: reading.condition, characters: reading.characters };
}

/** What is wrong with a site's policies together, from the characters of each; undefined when nothing is. */
export function wrongPolicySet(characters: readonly number[]): string | undefined {
  if (characters.length > limits.policiesOfASite) return `A site has at most ${limits.policiesOfASite} policies.`;
  const together = characters.reduce((sum, one) => sum + one, 0);
  return together > limits.policyCharactersOfASite
    ? `The policies of a site have at most ${limits.policyCharactersOfASite} characters together.`
    : undefined;
}
