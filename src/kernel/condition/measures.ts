import type { Policies } from './condition.js';
import { limits } from './limits.js';
import { type Place, type RuleKind, wrongHere } from './places.js';
import { readStored } from './read-condition.js';
import type { Readable } from './reading.js';

interface Measure {
  readonly parts: number;
  readonly valueCharacters: number;
  /** Number of groups, including the inner ones. */
  readonly groups: number;
  readonly innerGroups: number;
  readonly nesting: number;
  readonly kinds: ReadonlySet<RuleKind>;
  readonly reached: ReadonlySet<string>;
}

/**
 * Applies the limits of `expand` to many conditions of a site. Each policy is measured only once, even if many
 * conditions refer to it.
 */
export class Measures {
  private readonly known = new Map<string, Measure | undefined>();

  constructor(private readonly policies: Policies) {}

  kindsOf(reading: Readable, place: Place, saved?: string): ReadonlySet<RuleKind> | undefined {
    const most = place === 'policy' ? limits.policyCharacters : limits.ruleCharacters;
    const measure = reading.characters > most ? undefined : this.measured(reading);
    if (measure === undefined) return undefined;
    const { kinds, reached, nesting } = measure;
    if (nesting + (place === 'policy' ? 1 : 0) > limits.policyNesting) return undefined;
    if (reached.size > limits.policiesReached || (saved !== undefined && reached.has(saved))) return undefined;
    if (this.charactersOf(reached) > limits.charactersReached) return undefined;
    for (const kind of kinds) if (wrongHere(place, kind) !== undefined) return undefined;
    return kinds;
  }

  private measured(reading: Readable): Measure | undefined {
    let { parts, valueCharacters, groups, innerGroups } = reading;
    let nesting = 0;
    const kinds = new Set(reading.kinds.keys());
    const reached = new Set<string>();
    for (const reference of reading.references) {
      const policy = this.policy(reference.id);
      if (policy === undefined) return undefined;
      parts += policy.parts;
      valueCharacters += policy.valueCharacters;
      groups += policy.groups;
      innerGroups += reference.inGroup ? policy.groups : policy.innerGroups;
      if (reached.has(reference.id)) continue;
      nesting = Math.max(nesting, 1 + policy.nesting);
      reached.add(reference.id);
      for (const id of policy.reached) reached.add(id);
      for (const kind of policy.kinds) kinds.add(kind);
    }
    const isOver = parts > limits.parts || valueCharacters > limits.valueCharacters || innerGroups > limits.innerGroups;
    if (isOver || reached.size > limits.policiesReached) return undefined;
    return { parts, valueCharacters, groups, innerGroups, nesting, kinds, reached };
  }

  private policy(id: string): Measure | undefined {
    if (this.known.has(id)) return this.known.get(id);
    // A policy that is being measured is treated as wrong, so a reference back to it is a problem.
    this.known.set(id, undefined);
    const policy = this.policies(id);
    const reading = policy && readStored(policy.condition);
    if (!reading?.ok || reading.root === undefined || reading.characters > limits.policyCharacters) return undefined;
    const measure = this.measured(reading);
    this.known.set(id, measure);
    return measure;
  }

  private charactersOf(reached: ReadonlySet<string>): number {
    let sum = 0;
    for (const id of reached) {
      const reading = readStored(this.policies(id)?.condition);
      sum += reading.ok ? reading.characters : 0;
    }
    return sum;
  }
}
