import { declareField, type FieldSpec, fieldsOf, type Shape } from '../../kernel/field/field.js';

const name = 'reason';

const field = {
  type: 'string',
  maxLength: 500,
  optional: true,
  description:
    'Why the call is made. Shown to the person who approves it and stored permanently in the audit. Does not affect what the call does.',
} as const satisfies FieldSpec;

/** Adds the parameter `reason` to the input. Returns false if the operation has another parameter with this name. */
export function takesReason(input: Shape): boolean {
  const known = fieldsOf(input).get(name);
  if (known === undefined) declareField(input, name, field);
  return known === undefined || known === field;
}

/** Removes the reason from the input. The operation is carried out with the rest of the input. */
export function takenReason(shape: Shape, input: object): string | undefined {
  if (fieldsOf(shape).get(name) !== field) return undefined;
  const reason: unknown = Reflect.get(input, name);
  Reflect.deleteProperty(input, name);
  return typeof reason === 'string' && reason.trim() !== '' ? reason : undefined;
}
