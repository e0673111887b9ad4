import { type FieldSpec, fieldsOf, isOpenShape } from '../../kernel/field/field.js';
import type { AnswerSpec } from './operation.js';

/**
 * Of a record, exactly the fields that the answer class declares, and of what lies in it as well: what is added to a
 * record later stays inside until an answer names it.
 */
export function shown<Answer extends object>(shape: new () => Answer, record: object): Answer {
  return (isOpenShape(shape) ? record : shownFields(fieldsOf(shape), record)) as Answer;
}

/** As `shown`, for the fields of an object that has no class. */
export function shownFields(fields: Iterable<readonly [string, FieldSpec]>, record: object): object {
  const answer: Record<string, unknown> = {};
  for (const [name, spec] of fields) {
    const value: unknown = Object.hasOwn(record, name) ? record[name as keyof typeof record] : undefined;
    if (value !== undefined) answer[name] = shownAs(spec, value);
  }
  return answer;
}

function shownAs(spec: FieldSpec, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (spec.type === 'object' && spec.shape !== undefined) return shown(spec.shape(), value);
  if (spec.type !== 'array' || typeof spec.items !== 'function' || !Array.isArray(value)) return value;
  const shape = spec.items();
  return value.map((item: object) => shown(shape, item));
}

/**
 * Of what a handler answers, exactly what its operation declares: a whole record fits the type of any answer that has
 * some of its fields, and must not leave with the others.
 */
export function cutAnswer(spec: AnswerSpec, answer: object): object;
export function cutAnswer(spec: AnswerSpec, answer: unknown): unknown;
export function cutAnswer(spec: AnswerSpec, answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  if ('fields' in spec) return shownFields(Object.entries(spec.fields), answer);
  const shape = 'record' in spec ? spec.record : spec.list;
  return Array.isArray(answer) ? answer.map((one: object) => shown(shape, one)) : shown(shape, answer);
}
