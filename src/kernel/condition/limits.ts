/** Limits of conditions (Sites API, Limits). Characters are counted in the stored JSON text. */
export const limits = {
  /** Maximum size of the condition of one resource, and of any single rule in a policy. */
  ruleCharacters: 256_000,
  policyCharacters: 300_000,
  /** Maximum nesting depth of policies, including the outermost. */
  policyNesting: 16,
  /** Maximum number of distinct policies that one condition refers to, directly or indirectly. */
  policiesReached: 32,
  charactersReached: 4_000_000,
  /**
   * Maximum number of rules, lists, groups and references, counted as if each reference were replaced by its policy
   * every time it occurs.
   */
  parts: 20_000,
  /** Maximum total size of the values that properties are compared with. */
  valueCharacters: 4_000_000,
  /** Maximum number of groups inside another group, counted like parts. A list is not a group. */
  innerGroups: 256,
  policiesOfASite: 200,
  policyCharactersOfASite: 2_000_000,
  /** Maximum length of an id, a key, or a name of a property or field. The contract does not state this limit. */
  name: 200,
  /** Maximum number of problems named in one response. The contract does not state this limit. */
  problems: 20,
} as const;
