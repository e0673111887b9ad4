/** Sites API, Limits. Characters are counted in the stored JSON text. */
export const limits = {
  /** Limits the condition of one resource, and any single rule in a policy. */
  ruleCharacters: 256_000,
  policyCharacters: 300_000,
  /** Depth of policies that refer to each other, including the outermost. */
  policyNesting: 16,
  /** Distinct policies that one condition refers to, directly or indirectly. */
  policiesReached: 32,
  charactersReached: 4_000_000,
  /** Total of rules, lists, groups and references, counted as if each reference were replaced by its policy. */
  parts: 20_000,
  valueCharacters: 4_000_000,
  /** Groups inside another group. A list is not a group. */
  innerGroups: 256,
  policiesOfASite: 200,
  policyCharactersOfASite: 2_000_000,
  /** Length of an id, a key, or a name of a property or field. The Sites API does not state this limit. */
  name: 200,
  /** Problems in one response. The Sites API does not state this limit. */
  problems: 20,
} as const;
