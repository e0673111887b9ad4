import type { Condition, ConditionProblem, PolicyReference, Rule } from './condition.js';
import type { Operand } from './operators.js';
import type { RuleKind } from './places.js';

export type Part =
  | { readonly kind: 'rule'; readonly rule: Rule; readonly operand: Operand; readonly written: Rule }
  | { readonly kind: 'policy'; readonly id: string; readonly written: PolicyReference }
  | { readonly kind: 'not'; readonly part: Part; readonly written: Condition }
  | { readonly kind: 'all' | 'any' | 'list'; readonly parts: readonly Part[]; readonly written: Condition };

export interface Reference {
  readonly id: string;
  readonly path: string;
  readonly inGroup: boolean;
}

export interface Readable {
  readonly ok: true;
  /** Undefined if the condition is an empty list, which gives access to the owner alone. */
  readonly root: Part | undefined;
  readonly condition: Condition;
  readonly characters: number;
  readonly parts: number;
  readonly valueCharacters: number;
  /** Number of groups, including the inner ones. */
  readonly groups: number;
  readonly innerGroups: number;
  /** Path of the first rule of each kind. */
  readonly kinds: ReadonlyMap<RuleKind, string>;
  readonly references: readonly Reference[];
}

export type ConditionReading = Readable | { readonly ok: false; readonly problems: readonly ConditionProblem[] };
