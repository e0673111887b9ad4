import { type ValidationError, validateSync } from 'class-validator';
import { deepestInput, isTooDeep } from '../../kernel/json-depth.js';
import { type InvalidField, refuse } from '../../kernel/refusal.js';
import { type FieldSpec, fieldsOf, type Shape } from './field.js';

/**
 * Makes the operation's input of a request body: every unknown, missing, mistyped or out-of-bounds member is named.
 * @throws Refusal invalid-input
 */
export function inputOf<Input extends object>(shape: new () => Input, body: object): Input {
  if (isTooDeep(body, deepestInput)) {
    refuseInput([{ path: '', message: `must not nest deeper than ${deepestInput} levels` }]);
  }
  const input = hydrate(shape, body) as Input;
  const errors = validateSync(input, {
    // An input without fields is no unknown value; unknown members are found below.
    forbidUnknownValues: false,
    stopAtFirstError: true,
    validationError: { target: false, value: false },
  });
  const invalid = [...unknownMembers(shape, body, ''), ...errors.flatMap((error) => fieldErrors(error, ''))];
  if (invalid.length > 0) refuseInput(invalid);
  return input;
}

export function refuseInput(errors: readonly InvalidField[]): never {
  const paths = errors.map(({ path, message }) => (path === '' ? message : `${path} (${message})`));
  refuse('invalid-input', { paths: paths.slice(0, 5).join(', ') }, { errors });
}

/** Every member that no field declares, by our own table: class-validator looks past names such as `__proto__`. */
function unknownMembers(shape: Shape, value: object, above: string): readonly InvalidField[] {
  const fields = fieldsOf(shape);
  return Object.entries(value).flatMap(([key, member]) => {
    const spec = fields.get(key);
    const path = join(above, key);
    if (spec === undefined) return [{ path, message: 'is not a parameter of this operation' }];
    return shapedMembers(spec, member, path).flatMap(([inner, object, at]) => unknownMembers(inner, object, at));
  });
}

/** The objects below a member that have a shape of their own, and where they stand. */
function shapedMembers(spec: FieldSpec, member: unknown, path: string): readonly (readonly [Shape, object, string])[] {
  if (spec.type === 'object' && spec.shape && isPlainObject(member)) return [[spec.shape(), member, path]];
  if (spec.type !== 'array' || typeof spec.items !== 'function' || !Array.isArray(member)) return [];
  const shape = spec.items();
  return member.flatMap((item, index) => (isPlainObject(item) ? [[shape, item, `${path}[${index}]`] as const] : []));
}

/** Copies own members into an instance; defining them, so that a member called __proto__ is a member and nothing more. */
function hydrate(shape: Shape, body: object): object {
  const instance = new shape();
  const fields = fieldsOf(shape);
  for (const [key, value] of Object.entries(body)) {
    const hydrated = hydrateField(fields.get(key), value);
    Object.defineProperty(instance, key, { value: hydrated, enumerable: true, configurable: true, writable: true });
  }
  return instance;
}

function hydrateField(spec: FieldSpec | undefined, value: unknown): unknown {
  if (spec?.type === 'object' && spec.shape && isPlainObject(value)) return hydrate(spec.shape(), value);
  if (spec?.type === 'array' && typeof spec.items === 'function' && Array.isArray(value)) {
    const shape = spec.items();
    return value.map((item: unknown) => (isPlainObject(item) ? hydrate(shape, item) : item));
  }
  return value;
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function fieldErrors(error: ValidationError, above: string): readonly InvalidField[] {
  const path =
    /^\d+$/.test(error.property) && above !== '' ? `${above}[${error.property}]` : join(above, error.property);
  const messages = Object.values(error.constraints ?? {}).map((message) => ({ path, message }));
  return [...messages, ...(error.children ?? []).flatMap((child) => fieldErrors(child, path))];
}

const join = (above: string, property: string) => (above === '' ? property : `${above}.${property}`);
