/** Sites API, Limits. Characters are those of the JSON text that is stored. */
export const limits = {
  /** The condition of one resource, and any single rule of a policy. */
  ruleCharacters: 256_000,
  policyCharacters: 300_000,
  /** Policies inside policies, the outermost included. */
  policyNesting: 16,
  /** Different policies that one condition leads to. */
  policiesReached: 32,
  charactersReached: 4_000_000,
  /**
   * With every policy in the place of its reference, as often as it is referred to: each rule, list, group and
   * reference is a part.
   */
  parts: 20_000,
  /** What properties are compared with. */
  valueCharacters: 4_000_000,
  /** Lists and groups inside groups, the outermost included. */
  groupNesting: 256,
  policiesOfASite: 200,
  policyCharactersOfASite: 2_000_000,
  /** Ours: ids, keys and names of properties and fields. */
  name: 200,
  /** Ours: problems named in one answer. */
  problems: 20,
} as const;
