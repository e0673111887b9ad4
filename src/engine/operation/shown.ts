import { type FieldSpec, fieldsOf, isOpenShape } from '../../kernel/field/field.js';
import type { AnswerSpec } from './operation.js';

/**
 * Copies only the fields that the response class declares, at every level. Fields added to a record later stay internal
 * until a response declares them.
 */
export function shown<Answer extends object>(shape: new () => Answer, record: object): Answer {
  return (isOpenShape(shape) ? record : shownFields(fieldsOf(shape), record)) as Answer;
}

/** Like `shown`, for an object without a class. */
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
 * Reduces a response to what its operation declares. By its type, a whole record fits a response with only some of its
 * fields; the other fields must not leak.
 */
export function cutAnswer(spec: AnswerSpec, answer: object): object;
export function cutAnswer(spec: AnswerSpec, answer: unknown): unknown;
export function cutAnswer(spec: AnswerSpec, answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  if ('fields' in spec) return shownFields(Object.entries(spec.fields), answer);
  const shape = 'record' in spec ? spec.record : spec.list;
  return Array.isArray(answer) ? answer.map((one: object) => shown(shape, one)) : shown(shape, answer);
}
