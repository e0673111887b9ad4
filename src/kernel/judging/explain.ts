import type { Comparison, Rule } from '../condition/condition.js';
import type { Reached } from '../condition/expansion.js';
import { meanings } from '../condition/operators.js';
import { below } from '../condition/path.js';
import type { Part } from '../condition/reading.js';
import type { Facts } from './facts.js';
import { judgeRule } from './judge-rule.js';
import { joinings, opposite, type Value } from './value.js';
import type { Reason } from './verdict.js';

const most = 100;

interface Explained {
  readonly value: Value;
  readonly reasons: readonly Reason[];
}

/** For a group, gives only the reasons of parts with the group's value, because these decided it. */
export function explain(root: Part, facts: Facts, policies: ReadonlyMap<string, Reached>): readonly Reason[] {
  return new Explanation(facts, policies).of(root, '', '').reasons;
}

class Explanation {
  constructor(
    private readonly facts: Facts,
    private readonly policies: ReadonlyMap<string, Reached>,
  ) {}

  of(part: Part, path: string, policy: string): Explained {
    switch (part.kind) {
      case 'rule': {
        const outcome = judgeRule(part.rule, part.operand, this.facts);
        const sentence = `${policy}${sentenceOf(part.rule, outcome)}`;
        return { value: outcome, reasons: [{ path, outcome, sentence, rule: part.rule }] };
      }
      case 'policy': {
        const reached = this.policies.get(part.id);
        if (reached?.reading.root === undefined) return { value: 'fault', reasons: [] };
        return this.of(reached.reading.root, below(path, 'policy'), `In the policy ${quoted(reached.name)}: `);
      }
      case 'not': {
        const { value, reasons } = this.of(part.part, below(path, 'not'), policy);
        return { value: opposite[value], reasons };
      }
      case 'all':
      case 'any':
        return this.ofGroup(part.kind, part.parts, below(path, part.kind), policy);
      case 'list':
        return this.ofGroup(part.kind, part.parts, path, policy);
    }
  }

  private ofGroup(kind: 'all' | 'any' | 'list', parts: readonly Part[], path: string, policy: string): Explained {
    const { start, weight } = joinings[kind];
    const explained = parts.map((part, index) => this.of(part, `${path}[${index}]`, policy));
    const value = explained.reduce(
      (heaviest, one) => (weight[one.value] > weight[heaviest] ? one.value : heaviest),
      start,
    );
    const reasons = explained.filter((one) => one.value === value).flatMap((one) => one.reasons);
    return { value, reasons: reasons.slice(0, most) };
  }
}

export function sentenceOf(rule: Rule, outcome: Value): string {
  const claim = ruleClaim(rule);
  switch (outcome) {
    case 'allowed':
      return `${claim.charAt(0).toUpperCase()}${claim.slice(1)}.`;
    case 'denied':
      return `It is not true that ${claim}.`;
    case 'open':
      return `It is not yet known whether ${claim}.`;
    case 'fault':
      return `It cannot be determined whether ${claim}.`;
  }
}

export function ruleClaim(rule: Rule): string {
  switch (rule.type) {
    case 'public':
      return rule.scope === 'site' ? 'the call comes through this site' : 'everyone has access';
    case 'authenticated':
      return 'a user is signed in';
    case 'has_role':
      return `the person has the role ${quoted(rule.roleId)}`;
    case 'user_property':
      return `the person's property ${quoted(rule.property)} ${compared(rule)}`;
    case 'has_entitlement':
      return `the person holds the entitlement ${quoted(rule.key)} at the moment`;
    case 'function':
      return `the function ${quoted(rule.functionId)} grants access`;
    case 'creator':
      return 'the person created the row';
    case 'field_match':
      return `the row's field ${quoted(rule.field)} is the person's property ${quoted(rule.property)}`;
    case 'relationship':
      return `the row's relationship ${quoted(rule.path)} leads to the person`;
    case 'email':
      return 'field' in rule
        ? `the row's field ${quoted(rule.field)} is the person's address`
        : `the person's address ${compared(rule)}`;
  }
}

function compared({ operator, value }: Comparison): string {
  return value === undefined ? meanings[operator].words : `${meanings[operator].words} ${quoted(value)}`;
}

function quoted(value: Comparison['value']): string {
  const text = JSON.stringify(typeof value === 'object' ? value.slice(0, 10) : value) ?? '';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
