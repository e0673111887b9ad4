import { type FieldSpec, fieldsOf } from '../../kernel/field/field.js';
import type { AnswerSpec } from './operation.js';

export const notShownField = {
  type: 'string',
  optional: true,
  description: 'Why a value that is returned only once is null here: it was returned before, or it was not created.',
} as const satisfies FieldSpec;

export const notShown =
  'It was shown only in the first answer to this Idempotency-Key and is not stored; create a new one.';

/**
 * Replaces values that are shown only once by `null`, and adds the member `notShown`, which contains `why`. A repeated
 * call gets this response.
 */
export function withoutShownOnce(answers: AnswerSpec, body: unknown, why = notShown): unknown {
  if ('list' in answers || typeof body !== 'object' || body === null) return body;
  const fields = 'record' in answers ? fieldsOf(answers.record) : new Map(Object.entries(answers.fields));
  const once = Object.entries(body)
    .filter(([name, value]) => fields.get(name)?.once === true && value !== null && value !== undefined)
    .map(([name]) => name);
  if (once.length === 0) return body;
  return { ...body, ...Object.fromEntries(once.map((name) => [name, null])), notShown: why };
}
