import type { ConditionProblem } from '../../../kernel/condition/condition.js';
import { refuse } from '../access.refusals.js';

/**
 * `of` names the protected resource in words, and `at` is the path of the condition in the input.
 * @throws Refusal condition-invalid
 */
export function refuseCondition(of: string, problems: readonly ConditionProblem[], at = 'condition'): never {
  const errors = problems.map(({ path, message }) => ({ path: joined(at, path), message }));
  const problem = errors.slice(0, 3).map(({ path, message }) => `${path} ${message}`);
  return refuse('condition-invalid', { of, problem: problem.join('; ') }, { errors });
}

const joined = (path: string, inner: string) =>
  inner === '' ? path : inner.startsWith('[') || path === '' ? `${path}${inner}` : `${path}.${inner}`;
