import { fieldsOf } from './field.js';

/**
 * Of a record, exactly the fields that the answer class declares: what is added to a record later stays inside until an
 * answer names it.
 */
export function shown<Answer extends object>(shape: new () => Answer, record: object): Answer {
  const fields = [...fieldsOf(shape).keys()].flatMap((name) => {
    const value: unknown = Object.hasOwn(record, name) ? record[name as keyof typeof record] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(fields) as Answer;
}
