import { isOpenShape } from '../../kernel/field/field.js';
import type { AnswerSpec } from './operation.js';
import { shown, shownFields } from './shown.js';

/**
 * Of what a handler answers, exactly what its operation declares: a whole record fits the type of any answer that has
 * some of its fields, and must not leave with the others.
 */
export function cutAnswer(spec: AnswerSpec, answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  if ('fields' in spec) return shownFields(Object.entries(spec.fields), answer);
  const shape = 'record' in spec ? spec.record : spec.list;
  if (isOpenShape(shape)) return answer;
  return Array.isArray(answer) ? answer.map((one: object) => shown(shape, one)) : shown(shape, answer);
}
