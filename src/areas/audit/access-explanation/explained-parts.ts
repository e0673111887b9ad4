import type { Rule } from '../../../kernel/condition/condition.js';
import { sentenceOf } from '../../../kernel/judging/explain.js';
import type { JudgedPart } from '../../../kernel/judging/judged-tree.js';
import type { Flip } from '../../../kernel/judging/smallest-change.js';
import type { Value } from '../../../kernel/judging/value.js';
import type { ExplainedPart, NeededChange } from './access-explanation.js';

/** Maximum number of parts of a condition in an answer. The deepest parts are omitted first. */
const mostParts = 500;

export type RoleNames = ReadonlyMap<string, string>;

export function explainedPart(root: JudgedPart, roles: RoleNames): ExplainedPart {
  const shown = shownOf(root);
  const visit = (part: JudgedPart): ExplainedPart => {
    const { kind, path, outcome } = part;
    if (part.kind === 'rule') {
      const { rule } = part;
      const named = namedRole(rule, roles);
      return { kind, path, outcome, sentence: named === rule ? part.sentence : sentenceOf(named, outcome), rule };
    }
    const parts = part.parts.filter((one) => shown.has(one));
    const leftOut = part.parts.length - parts.length;
    return {
      kind,
      path,
      outcome,
      sentence: sentenceOfGroup(part),
      ...(part.kind === 'policy' ? { policy: { id: part.id, name: part.name } } : {}),
      parts: parts.map(visit),
      ...(leftOut > 0 ? { leftOut } : {}),
    };
  };
  return visit(root);
}

export function neededChange({ path, rule, from, to }: Flip, roles: RoleNames): NeededChange {
  return { path, rule, from, to, sentence: sentenceOf(namedRole(rule, roles), to) };
}

const namedRole = (rule: Rule, roles: RoleNames): Rule =>
  rule.type === 'has_role' && roles.has(rule.roleId) ? { ...rule, roleId: roles.get(rule.roleId) ?? '' } : rule;

function shownOf(root: JudgedPart): ReadonlySet<JudgedPart> {
  const shown = new Set<JudgedPart>([root]);
  for (const part of shown) {
    if (part.kind === 'rule') continue;
    for (const one of part.parts) {
      if (shown.size >= mostParts) return shown;
      shown.add(one);
    }
  }
  return shown;
}

const words: Readonly<Record<Value, string>> = {
  allowed: 'grants access',
  denied: 'denies access',
  open: 'is undecided',
  fault: 'cannot be evaluated',
};

function sentenceOfGroup(part: Exclude<JudgedPart, { kind: 'rule' }>): string {
  const { outcome, parts } = part;
  const all = parts.length;
  switch (part.kind) {
    case 'policy':
      return `The policy '${part.name}' ${words[outcome]}.`;
    case 'not':
      return `The negation of a condition ${words[outcome]}.`;
    case 'all':
      return `All of ${all} must grant access: ${countOf(parts, 'allowed')} do, so this ${words[outcome]}.`;
    case 'any':
    case 'list':
      return `One of ${all} must grant access: ${countOf(parts, 'allowed')} do, so this ${words[outcome]}.`;
  }
}

const countOf = (parts: readonly JudgedPart[], outcome: Value) => parts.filter((one) => one.outcome === outcome).length;
