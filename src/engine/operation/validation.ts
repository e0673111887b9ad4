import { isObject } from 'class-validator/cjs/decorator/typechecker/IsObject.js';
import { type FieldSpec, fieldsOf, type Shape } from '../../kernel/field/field.js';
import { wrongValue } from '../../kernel/field/judge-field.js';
import { refuseInput } from '../../kernel/field/refuse-input.js';
import { type InvalidField } from '../../kernel/refusals/refusal.js';
import { bodyFaults, memberPath, mostErrors } from './body-faults.js';

/**
 * Reports every unknown, missing, mistyped or out-of-bounds member, up to 50.
 * @throws Refusal invalid-input
 */
export function inputOf<Input extends object>(shape: new () => Input, body: object): Input {
  mustBeStorable(body);
  const found: InvalidField[] = [];
  judgeMembers(shape, body, '', found);
  if (found.length > 0) refuseInput(found);
  return hydrate(shape, body) as Input;
}

/** @throws Refusal invalid-input */
export function mustBeStorable(body: object): void {
  const faults = bodyFaults(body);
  if (faults.length > 0) refuseInput(faults);
}

/** This is the only validation of outside input. */
function judgeMembers(shape: Shape, body: object, above: string, found: InvalidField[]): void {
  const fields = fieldsOf(shape);
  for (const key of Object.keys(body)) {
    if (found.length >= mostErrors) return;
    if (!fields.has(key)) found.push({ path: memberPath(above, key), message: 'is not a parameter of this operation' });
  }
  for (const [key, spec] of fields) {
    if (found.length >= mostErrors) return;
    judge(spec, ownMember(body, key), memberPath(above, key), found);
  }
}

function judge(spec: FieldSpec, value: unknown, path: string, found: InvalidField[]): void {
  const message = wrongValue(spec, value);
  if (message !== undefined) {
    found.push({ path, message });
    return;
  }
  if (spec.type === 'object' && spec.shape && isJsonObject(value)) judgeMembers(spec.shape(), value, path, found);
  if (spec.type === 'array' && typeof spec.items === 'function' && Array.isArray(value)) {
    judgeItems(spec.items(), value, path, found);
  }
}

function judgeItems(shape: Shape, items: readonly unknown[], path: string, found: InvalidField[]): void {
  for (const [index, item] of items.entries()) {
    if (found.length >= mostErrors) return;
    if (isJsonObject(item)) judgeMembers(shape, item, `${path}[${index}]`, found);
    else found.push({ path: `${path}[${index}]`, message: 'each must be an object' });
  }
}

/** `defineProperty` makes a member called __proto__ an ordinary one. */
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
  if (spec?.type === 'object' && spec.shape && isJsonObject(value)) return plain(hydrate(spec.shape(), value));
  if (spec?.type === 'array' && typeof spec.items === 'function' && Array.isArray(value)) {
    const shape = spec.items();
    return value.map((item: unknown) => (isJsonObject(item) ? plain(hydrate(shape, item)) : item));
  }
  return value;
}

/** Returns a plain object, because an instance of a class would not be deep-equal to the recorded value. */
const plain = (instance: object): object =>
  Object.fromEntries(Object.entries(instance).filter(([, value]) => value !== undefined));

const isJsonObject = (value: unknown): value is object => isObject(value);

/** Ignores inherited members such as `constructor`. */
function ownMember(body: object, key: string): unknown {
  return Object.hasOwn(body, key) ? (body as Readonly<Record<string, unknown>>)[key] : undefined;
}
