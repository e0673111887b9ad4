import type { Policies } from '../condition/condition.js';
import { expand, type Reached } from '../condition/expansion.js';
import { readStored } from '../condition/read-condition.js';
import type { Part } from '../condition/reading.js';
import { explain } from './explain.js';
import { areWhole, type Facts } from './facts.js';
import { judgeRule } from './judge-rule.js';
import { judgedTree } from './judged-tree.js';
import { outcomesIn } from './rule-outcomes.js';
import { joinings, opposite, type Value } from './value.js';
import { cannotBeJudged, Verdict } from './verdict.js';

/**
 * Never throws: even malformed arguments give a verdict, and every verdict except `allowed` denies access. The owner's
 * access is decided elsewhere. If the outcome of any rule is `fault`, so is the outcome of the whole condition. All
 * rules are therefore evaluated, and their order never matters. The work is bounded by `limits.parts`.
 */
export function judge(condition: unknown, facts: Facts, policies: Policies): Verdict {
  try {
    return decide(condition, facts, policies);
  } catch {
    return cannotBeJudged('the facts for its evaluation cannot be read');
  }
}

function decide(condition: unknown, facts: Facts, policies: Policies): Verdict {
  if (condition === undefined || condition === null) return ownerOnly;
  const reading = readStored(condition);
  if (!reading.ok) return cannotBeJudged(reading.problems.map(({ path, message }) => `${path} ${message}`).join('; '));
  const { root } = reading;
  if (root === undefined) return ownerOnly;
  if (!areWhole(facts)) return cannotBeJudged('the facts about the caller or the row are incomplete');
  const expansion = expand(reading, facts.place, policies);
  if (!expansion.ok) return cannotBeJudged(`${expansion.problem.path} ${expansion.problem.message}`);
  const reached = expansion.policies;
  const each = () => {
    const judged = judgedTree(condition, facts, policies);
    return judged.kind === 'tree' ? outcomesIn(judged.root) : undefined;
  };
  return new Verdict(judgePart(root, facts, reached), () => explain(root, facts, reached), each);
}

const ownerOnly = new Verdict('denied', () => [
  { path: '', outcome: 'denied', sentence: 'There are no rules, so only the owner has access.' },
]);

function judgePart(part: Part, facts: Facts, policies: ReadonlyMap<string, Reached>): Value {
  switch (part.kind) {
    case 'rule':
      return judgeRule(part.rule, part.operand, facts);
    case 'policy': {
      const root = policies.get(part.id)?.reading.root;
      return root === undefined ? 'fault' : judgePart(root, facts, policies);
    }
    case 'not':
      return opposite[judgePart(part.part, facts, policies)];
    case 'all':
    case 'any':
    case 'list': {
      const { start, weight } = joinings[part.kind];
      let value = start;
      for (const one of part.parts) {
        const next = judgePart(one, facts, policies);
        if (weight[next] > weight[value]) value = next;
      }
      return value;
    }
  }
}
