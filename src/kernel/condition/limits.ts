/** Sites API, Limits. Characters are counted in the stored JSON text. */
export const limits = {
  /** The condition of one resource, and any single rule of a policy. */
  ruleCharacters: 256_000,
  policyCharacters: 300_000,
  /** Nesting of policies, including the outermost. */
  policyNesting: 16,
  /** Distinct policies that one condition leads to. */
  policiesReached: 32,
  charactersReached: 4_000_000,
  /** Rules, lists, groups and references, counted as if each reference were replaced by its policy every time. */
  parts: 20_000,
  /** Total size of the values that properties are compared with. */
  valueCharacters: 4_000_000,
  /** Groups inside another group, counted like parts. A list is no group. */
  innerGroups: 256,
  policiesOfASite: 200,
  policyCharactersOfASite: 2_000_000,
  /** Our own limit: ids, keys and names of properties and fields. */
  name: 200,
  /** Our own limit: problems named in one answer. */
  problems: 20,
} as const;
