import type { Policies, Rule } from '../condition/condition.js';
import { expand, type Reached } from '../condition/expansion.js';
import { below } from '../condition/path.js';
import { readStored } from '../condition/read-condition.js';
import type { Part } from '../condition/reading.js';
import { ruleClaim, sentenceOf } from './explain.js';
import { areWhole, type Facts } from './facts.js';
import { isRowRule } from './judge-on-rows.js';
import { judgeRule } from './judge-rule.js';
import { joinings, opposite, type Value } from './value.js';

interface Judged {
  /** Path in the condition, with policies in place of their references. Empty for the whole condition. */
  readonly path: string;
  readonly outcome: Value;
}

export type JudgedPart =
  | (Judged & { readonly kind: 'rule'; readonly rule: Rule; readonly sentence: string })
  | (Judged & { readonly kind: 'all' | 'any' | 'list' | 'not'; readonly parts: readonly JudgedPart[] })
  | (Judged & {
      readonly kind: 'policy';
      readonly id: string;
      readonly name: string;
      readonly parts: readonly JudgedPart[];
    });

export type JudgedTree =
  | { readonly kind: 'tree'; readonly root: JudgedPart }
  /** No rules are saved, or the saved list is empty. */
  | { readonly kind: 'no rules' }
  /** A condition that cannot be evaluated denies access to every caller. */
  | { readonly kind: 'cannot be judged'; readonly problem: string };

export type OfRow = (rule: Rule) => Value | undefined;

type RulePart = Extract<Part, { kind: 'rule' }>;
type JudgedRule = Extract<JudgedPart, { kind: 'rule' }>;

/**
 * Evaluates like `judge`, except for rules that depend on the row of a table. `ofRow` gives the outcome of such a rule.
 * If it is omitted or returns undefined, the outcome is `open` (undecided), or `denied` for a visitor who is not signed
 * in.
 */
export function judgedTree(condition: unknown, facts: Facts, policies: Policies, ofRow?: OfRow): JudgedTree {
  return treeOf(condition, facts.place, policies, (part, path) => ruleOn(facts, part, path, ofRow), facts);
}

/**
 * Rebuilds the tree of an earlier evaluation. A rule without a recorded outcome is open. `outcomeOf` is called in the
 * order of the condition.
 */
export function recordedTree(
  condition: unknown,
  place: Facts['place'],
  policies: Policies,
  outcomeOf: (rule: Rule) => Value | undefined,
): JudgedTree {
  return treeOf(condition, place, policies, ({ rule }, path) => {
    const known = outcomeOf(rule);
    const sentence = known === undefined ? 'The outcome of this rule was not recorded.' : sentenceOf(rule, known);
    return { kind: 'rule', path, outcome: known ?? 'open', rule, sentence };
  });
}

function treeOf(
  condition: unknown,
  place: Facts['place'],
  policies: Policies,
  ruleOf: RuleOf,
  facts?: Facts,
): JudgedTree {
  if (condition === undefined || condition === null) return { kind: 'no rules' };
  const reading = readStored(condition);
  if (!reading.ok) return wrong(reading.problems[0]);
  if (reading.root === undefined) return { kind: 'no rules' };
  if (facts !== undefined && !areWhole(facts)) {
    return { kind: 'cannot be judged', problem: 'the facts about the caller are incomplete' };
  }
  const expansion = expand(reading, place, policies);
  if (!expansion.ok) return wrong(expansion.problem);
  return { kind: 'tree', root: new Judging(expansion.policies, ruleOf).part(reading.root, '') };
}

type RuleOf = (part: RulePart, path: string) => JudgedRule;

function ruleOn(facts: Facts, { rule, operand }: RulePart, path: string, ofRow: OfRow | undefined): JudgedRule {
  if (facts.place === 'table' && isRowRule(rule)) {
    const outcome = ofRow?.(rule) ?? (facts.person === undefined ? 'denied' : 'open');
    const sentence =
      outcome === 'open' ? `It depends on the row whether ${ruleClaim(rule)}.` : sentenceOf(rule, outcome);
    return { kind: 'rule', path, outcome, rule, sentence };
  }
  const outcome = judgeRule(rule, operand, facts);
  return { kind: 'rule', path, outcome, rule, sentence: sentenceOf(rule, outcome) };
}

function wrong(problem: { readonly path: string; readonly message: string } | undefined): JudgedTree {
  return { kind: 'cannot be judged', problem: `${problem?.path || 'the condition'} ${problem?.message}` };
}

class Judging {
  constructor(
    private readonly policies: ReadonlyMap<string, Reached>,
    private readonly ruleOf: RuleOf,
  ) {}

  part(part: Part, path: string): JudgedPart {
    switch (part.kind) {
      case 'rule':
        return this.ruleOf(part, path);
      case 'policy': {
        const reached = this.policies.get(part.id);
        const root = reached?.reading.root;
        const parts = root === undefined ? [] : [this.part(root, below(path, 'policy'))];
        return {
          kind: 'policy',
          path,
          outcome: parts[0]?.outcome ?? 'fault',
          id: part.id,
          name: reached?.name ?? part.id,
          parts,
        };
      }
      case 'not': {
        const inner = this.part(part.part, below(path, 'not'));
        return { kind: 'not', path, outcome: opposite[inner.outcome], parts: [inner] };
      }
      case 'all':
      case 'any':
        return this.group(part.kind, part.parts, path, below(path, part.kind));
      case 'list':
        return this.group(part.kind, part.parts, path, path);
    }
  }

  private group(kind: 'all' | 'any' | 'list', parts: readonly Part[], path: string, inner: string): JudgedPart {
    const judged = parts.map((part, index) => this.part(part, `${inner}[${index}]`));
    return {
      kind,
      path,
      outcome: joinedValue(
        kind,
        judged.map(({ outcome }) => outcome),
      ),
      parts: judged,
    };
  }
}

export function joinedValue(kind: 'all' | 'any' | 'list', outcomes: readonly Value[]): Value {
  const { start, weight } = joinings[kind];
  return outcomes.reduce((heaviest, one) => (weight[one] > weight[heaviest] ? one : heaviest), start);
}
