import type { ConditionProblem, Policies } from './condition.js';
import { limits } from './limits.js';
import { below } from './path.js';
import { type Place, wrongHere } from './places.js';
import { readStored, tooManyGroups } from './read-condition.js';
import type { Readable, Reference } from './reading.js';

export interface Reached {
  readonly name: string;
  readonly reading: Readable;
}

/** A condition with a problem cannot be saved. If it is already stored, it denies access. */
export type Expansion =
  | { readonly ok: true; readonly policies: ReadonlyMap<string, Reached> }
  | { readonly ok: false; readonly problem: ConditionProblem };

/**
 * The limits apply as if each reference were replaced by its policy. Saving and evaluating use the same check, so a
 * condition that cannot be saved is not evaluated either. Stops at the first limit, so the work is bounded by
 * `limits.parts`. `saved` is the policy's id if the condition belongs to a policy.
 */
export function expand(reading: Readable, place: Place, policies: Policies, saved?: string): Expansion {
  if (reading.references.length > 0) return expanded(reading, place, policies, saved);
  const known = measured.get(reading) ?? new Map<Place, Expansion>();
  const found = known.get(place) ?? expanded(reading, place, policies, saved);
  if (known.size === 0) measured.set(reading, known);
  known.set(place, found);
  return found;
}

const measured = new WeakMap<Readable, Map<Place, Expansion>>();

function expanded(reading: Readable, place: Place, policies: Policies, saved?: string): Expansion {
  const characters = place === 'policy' ? limits.policyCharacters : limits.ruleCharacters;
  if (reading.characters > characters)
    return { ok: false, problem: { path: '', message: `must be at most ${characters} characters` } };
  const counted = new Count(place, policies);
  const around = place === 'policy' ? [saved ?? ''] : [];
  const problem = counted.add(reading, '', false, around);
  return problem === undefined ? { ok: true, policies: counted.reached } : { ok: false, problem };
}

class Count {
  readonly reached = new Map<string, Reached>();
  private parts = 0;
  private valueCharacters = 0;
  private innerGroups = 0;
  private characters = 0;

  constructor(
    private readonly place: Place,
    private readonly policies: Policies,
  ) {}

  add(reading: Readable, path: string, inGroup: boolean, around: readonly string[]): ConditionProblem | undefined {
    this.parts += reading.parts;
    this.valueCharacters += reading.valueCharacters;
    this.innerGroups += inGroup ? reading.groups : reading.innerGroups;
    if (this.parts > limits.parts) return { path, message: `must have at most ${limits.parts} parts` };
    if (this.valueCharacters > limits.valueCharacters)
      return { path, message: `must compare with at most ${limits.valueCharacters} characters of values` };
    if (this.innerGroups > limits.innerGroups) return { path, message: tooManyGroups };
    for (const [kind, at] of reading.kinds) {
      const message = wrongHere(this.place, kind);
      if (message !== undefined) return { path: below(path, at), message };
    }
    for (const reference of reading.references) {
      const problem = this.enter(reference, below(path, reference.path), inGroup || reference.inGroup, around);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  private enter(
    { id }: Reference,
    path: string,
    inGroup: boolean,
    around: readonly string[],
  ): ConditionProblem | undefined {
    if (around.includes(id)) return { path, message: 'must not refer back to the policy that contains it' };
    if (around.length >= limits.policyNesting)
      return { path, message: `must not nest policies deeper than ${limits.policyNesting}` };
    const policy = this.reached.get(id) ?? this.reach(id, path);
    return 'message' in policy ? policy : this.add(policy.reading, path, inGroup, [...around, id]);
  }

  private reach(id: string, path: string): Reached | ConditionProblem {
    const policy = this.policies(id);
    if (policy === undefined) return { path, message: 'must be the id of a policy: there is none with this id' };
    const wrong = (why: string) => ({ path, message: `refers to the policy ${JSON.stringify(policy.name)}, ${why}` });
    const reading = readStored(policy.condition);
    if (!reading.ok) {
      const [first] = reading.problems;
      return wrong(`whose condition cannot be read: ${first?.path} ${first?.message}`);
    }
    if (reading.root === undefined) return wrong('which has no rules');
    if (reading.characters > limits.policyCharacters)
      return wrong(`which is longer than ${limits.policyCharacters} characters`);
    const reached: Reached = { name: policy.name, reading };
    this.reached.set(id, reached);
    this.characters += reading.characters;
    if (this.reached.size > limits.policiesReached)
      return wrong(`which exceeds the ${limits.policiesReached} policies that a condition may refer to`);
    if (this.characters > limits.charactersReached)
      return wrong(`with which its policies exceed ${limits.charactersReached} characters together`);
    return reached;
  }
}
