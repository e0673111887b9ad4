/** Limits of conditions (Sites API, Limits). Characters are counted in the stored JSON text. */
export const limits = {
  /** Size of the condition of one resource, and of any single rule in a policy. */
  ruleCharacters: 256_000,
  policyCharacters: 300_000,
  /** Nesting depth of policies, including the outermost. */
  policyNesting: 16,
  /** Distinct policies that one condition refers to, directly or indirectly. */
  policiesReached: 32,
  charactersReached: 4_000_000,
  /**
   * Rules, lists, groups and references, counted as if each reference were replaced by its policy every time it occurs.
   */
  parts: 20_000,
  /** Total size of the values that properties are compared with. */
  valueCharacters: 4_000_000,
  /** Groups inside another group, counted like parts. A list is not a group. */
  innerGroups: 256,
  policiesOfASite: 200,
  policyCharactersOfASite: 2_000_000,
  /** Our own limit on ids, keys and names of properties and fields. */
  name: 200,
  /** Our own limit on the problems named in one response. */
  problems: 20,
} as const;
