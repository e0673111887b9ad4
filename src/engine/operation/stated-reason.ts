import { declareField, type FieldSpec, fieldsOf, type Shape } from '../../kernel/field/field.js';

const name = 'reason';

/** Why the caller asks for it: a parameter of every operation that is risky or that a person may have to approve. */
const field = {
  type: 'string',
  maxLength: 500,
  optional: true,
  description:
    'Why you ask for this: shown to the person who approves it and kept in the audit for ever. It changes nothing of what is done.',
} as const satisfies FieldSpec;

/** False where the operation has a parameter of this name already, with another meaning. */
export function takesReason(input: Shape): boolean {
  const known = fieldsOf(input).get(name);
  if (known === undefined) declareField(input, name, field);
  return known === undefined || known === field;
}

/** Takes the reason out of the input, which then is what is done and nothing else. Undefined: none was given. */
export function takenReason(shape: Shape, input: object): string | undefined {
  if (fieldsOf(shape).get(name) !== field) return undefined;
  const reason: unknown = Reflect.get(input, name);
  Reflect.deleteProperty(input, name);
  return typeof reason === 'string' && reason.trim() !== '' ? reason : undefined;
}
