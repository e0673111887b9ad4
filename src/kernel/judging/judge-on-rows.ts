import type { Policies } from '../condition/condition.js';
import { expand, type Reached } from '../condition/expansion.js';
import { readStored } from '../condition/read-condition.js';
import type { Part } from '../condition/reading.js';
import { areWhole, type Facts } from './facts.js';
import { judgeRule, type RowRule } from './judge-rule.js';

/** `T` is the caller's test for a single rule. */
export type RowTest<T> =
  | T
  | { readonly all: readonly RowTest<T>[] }
  | { readonly any: readonly RowTest<T>[] }
  | { readonly not: RowTest<T> };

/** The outcome for one caller before any row is known. `test` selects the allowed rows. */
export type OnRows<T> =
  | { readonly outcome: 'allowed' | 'denied' | 'fault' }
  | { readonly outcome: 'by row'; readonly test: RowTest<T> };

/**
 * `denied` means that the rule is false for every row. `fault` means that the rule cannot be evaluated on any row of
 * this table, so access is denied.
 */
export type TestOfRule<T> = (rule: RowRule, facts: Omit<Facts, 'row'>) => RowTest<T> | 'denied' | 'fault';

type Judged<T> = { readonly fixed: 'allowed' | 'denied' | 'fault' } | { readonly test: RowTest<T> };

/**
 * The returned test is true for a row exactly if `judge` with that row allows access. A function rule without a result
 * in `facts` is a fault, because functions are not called per row.
 */
export function judgeOnRows<T extends object>(
  condition: unknown,
  facts: Omit<Facts, 'row'>,
  policies: Policies,
  testOf: TestOfRule<T>,
): OnRows<T> {
  try {
    const judged = decide(condition, facts, policies, testOf);
    return 'fixed' in judged ? { outcome: judged.fixed } : { outcome: 'by row', test: judged.test };
  } catch {
    return { outcome: 'fault' };
  }
}

function decide<T extends object>(
  condition: unknown,
  facts: Omit<Facts, 'row'>,
  policies: Policies,
  testOf: TestOfRule<T>,
): Judged<T> {
  if (condition === undefined || condition === null) return denied;
  const reading = readStored(condition);
  if (!reading.ok) return fault;
  if (reading.root === undefined) return denied;
  if (!areWhole(facts)) return fault;
  const expansion = expand(reading, facts.place, policies);
  return expansion.ok ? new OnRowsJudge(facts, expansion.policies, testOf).part(reading.root) : fault;
}

const allowed = { fixed: 'allowed' } as const;
const denied = { fixed: 'denied' } as const;
const fault = { fixed: 'fault' } as const;

class OnRowsJudge<T extends object> {
  constructor(
    private readonly facts: Omit<Facts, 'row'>,
    private readonly policies: ReadonlyMap<string, Reached>,
    private readonly testOf: TestOfRule<T>,
  ) {}

  part(part: Part): Judged<T> {
    switch (part.kind) {
      case 'rule':
        return this.rule(part);
      case 'policy': {
        const root = this.policies.get(part.id)?.reading.root;
        return root === undefined ? fault : this.part(root);
      }
      case 'not': {
        const inner = this.part(part.part);
        if ('test' in inner) return { test: { not: inner.test } };
        if (inner.fixed === 'fault') return fault;
        return inner.fixed === 'allowed' ? denied : allowed;
      }
      case 'all':
        return this.group(part.parts, 'all', denied, allowed);
      case 'any':
      case 'list':
        return this.group(part.parts, 'any', allowed, denied);
    }
  }

  /**
   * If one part has the outcome `decides`, the group has it too, unless another part is a fault. Equal tests are
   * included once.
   */
  private group(parts: readonly Part[], kind: 'all' | 'any', decides: Judged<T>, otherwise: Judged<T>): Judged<T> {
    const tests = new Map<string, RowTest<T>>();
    let isDecided = false;
    for (const one of parts) {
      const judged = this.part(one);
      if (judged === fault) return fault;
      if (judged === decides) isDecided = true;
      if ('test' in judged) for (const test of members(kind, judged.test)) tests.set(JSON.stringify(test), test);
    }
    if (isDecided) return decides;
    const [first, ...others] = tests.values();
    if (first === undefined) return otherwise;
    if (others.length === 0) return { test: first };
    return { test: kind === 'all' ? { all: [first, ...others] } : { any: [first, ...others] } };
  }

  private rule({ rule, operand }: Extract<Part, { kind: 'rule' }>): Judged<T> {
    if (isRowRule(rule)) {
      const test = this.testOf(rule, this.facts);
      if (typeof test === 'object') return { test };
      return test === 'fault' ? fault : denied;
    }
    switch (judgeRule(rule, operand, this.facts)) {
      case 'allowed':
        return allowed;
      case 'denied':
        return denied;
      case 'open':
      case 'fault':
        return fault;
    }
  }
}

/** A group inside a group of the same kind is equivalent to its members. */
function members<T extends object>(kind: 'all' | 'any', test: RowTest<T>): readonly RowTest<T>[] {
  const same = (test as Readonly<Partial<Record<'all' | 'any', readonly RowTest<T>[]>>>)[kind];
  return same ?? [test];
}

export function isRowRule(rule: { readonly type: string }): rule is RowRule {
  switch (rule.type) {
    case 'creator':
    case 'field_match':
    case 'relationship':
      return true;
    default:
      return rule.type === 'email' && 'field' in rule;
  }
}
