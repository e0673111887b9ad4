import { type FieldSpec, fieldsOf, isOpenShape } from '../../kernel/field/field.js';
import type { AnswerSpec } from './operation.js';

/**
 * Copies only the declared fields, at every level, so a field that is added to a record later is not exposed until a
 * response declares it. A record of an open shape is returned as it is.
 */
export function shown<Answer extends object>(shape: new () => Answer, record: object): Answer {
  return (isOpenShape(shape) ? record : shownFields(fieldsOf(shape), record)) as Answer;
}

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
 * The type system cannot ensure that a response has only the declared members: a whole record is assignable to a
 * response with only some of its fields, and the others must not leak.
 */
export function cutAnswer(spec: AnswerSpec, answer: object): object;
export function cutAnswer(spec: AnswerSpec, answer: unknown): unknown;
export function cutAnswer(spec: AnswerSpec, answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  if ('fields' in spec) return shownFields(Object.entries(spec.fields), answer);
  const shape = 'record' in spec ? spec.record : spec.list;
  return Array.isArray(answer) ? answer.map((one: object) => shown(shape, one)) : shown(shape, answer);
}
