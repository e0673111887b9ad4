import type { RefusalEntry, RefusalFacts, RefusalKind, RefusedAt } from './refusal.js';

type OtherKind = Exclude<RefusalKind, 'invalid'>;

export function refusal(
  kind: OtherKind,
  sentence: () => string,
): RefusalEntry<[about?: undefined, facts?: RefusalFacts]>;
export function refusal<About>(
  kind: OtherKind,
  sentence: (about: About) => string,
): RefusalEntry<[about: About, facts?: RefusalFacts]>;
export function refusal(kind: OtherKind, sentence: (about: never) => string): RefusalEntry<never> {
  return { kind, sentence };
}

export const eachCall = null;

/**
 * Refuses invalid input (settled question Q-G01). `at` is a path in the input, such as `limit` or `definition.kind`,
 * the name of a header, or '' for the whole body.
 */
export function invalid(at: string, sentence: () => string): RefusalEntry<[about?: undefined, facts?: RefusalFacts]>;
export function invalid<About>(
  at: string,
  sentence: (about: About) => string,
): RefusalEntry<[about: About, facts?: RefusalFacts]>;
export function invalid(
  at: typeof eachCall,
  sentence: () => string,
): RefusalEntry<[about: undefined, facts: RefusalFacts & RefusedAt]>;
export function invalid<About>(
  at: typeof eachCall,
  sentence: (about: About) => string,
): RefusalEntry<[about: About, facts: RefusalFacts & RefusedAt]>;
export function invalid(at: string | typeof eachCall, sentence: (about: never) => string): RefusalEntry<never> {
  return { kind: 'invalid', at, sentence };
}
