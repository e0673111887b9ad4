import { type FieldSpec, fieldsOf } from '../../kernel/field/field.js';

/**
 * Of a record, exactly the fields that the answer class declares, and of what lies in it as well: what is added to a
 * record later stays inside until an answer names it.
 */
export function shown<Answer extends object>(shape: new () => Answer, record: object): Answer {
  const fields = [...fieldsOf(shape)].flatMap(([name, spec]) => {
    const value: unknown = Object.hasOwn(record, name) ? record[name as keyof typeof record] : undefined;
    return value === undefined ? [] : [[name, shownAs(spec, value)]];
  });
  return Object.fromEntries(fields) as Answer;
}

function shownAs(spec: FieldSpec, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (spec.type === 'object' && spec.shape !== undefined) return shown(spec.shape(), value);
  if (spec.type !== 'array' || typeof spec.items !== 'function' || !Array.isArray(value)) return value;
  const shape = spec.items();
  return value.map((item: object) => shown(shape, item));
}
