/** Sites API, Limits. Characters are counted in the stored JSON text. */
export const limits = {
  /** Applies to the condition of one resource, and to any single rule in a policy. */
  ruleCharacters: 256_000,
  policyCharacters: 300_000,
  /** Includes the outermost policy. */
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
  /** For an id, a key, or a name of a property or field. The contract does not state this limit. */
  name: 200,
  /** Problems named in one response. The contract does not state this limit. */
  problems: 20,
} as const;
