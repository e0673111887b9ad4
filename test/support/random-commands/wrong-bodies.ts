import { settingShapes } from '../../../src/areas/flows/flow/step-shapes.js';
import { type FieldSpec, fieldsOf, type Shape } from '../../../src/kernel/field/field.js';

/** A body with one wrong or unusual value. `what` describes the value and its path. */
export interface WrongBody {
  readonly what: string;
  readonly body: object;
  /** Whether the value has the wrong type for its field, so that the body must be refused. */
  readonly misfits: boolean;
}

/** Nearly as deep as `JSON.stringify` can write. */
const deep = JSON.parse('['.repeat(1_500) + ']'.repeat(1_500)) as unknown;
const own = (name: string, value: unknown) => Object.fromEntries([[name, value]]);

type Kind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';
const kindOf = (value: unknown): Kind =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : (typeof value as Kind);

/** Values that every field of every operation gets in turn. */
const always: Readonly<Record<string, unknown>> = {
  null: null,
  true: true,
  fraction: -1.5,
  text: 'x',
  list: [],
  'list in a list': [[]],
  'lists of objects in a list': [[{}], [[{ id: 'a' }]]],
  object: {},
  'constructor null': { constructor: null },
  'huge text': 'x'.repeat(100_000),
  'half a character': '\ud800',
  'list of null': [null],
  proto: own('__proto__', { a: 1 }),
  deep,
  'large number': 1e308,
};
const inDeepRuns: Readonly<Record<string, unknown>> = {
  false: false,
  'beyond safe integers': 2 ** 53,
  empty: '',
  nul: 'a\0b',
  'list of objects': [{}],
  'long list': Array(3_000).fill({}),
  'long list of lists': Array(3_000).fill([]),
  'deep object': { a: deep },
  'proto null': own('__proto__', null),
  prototype: { prototype: null },
  'toString null': { toString: null },
  'valueOf text': { valueOf: 'x' },
  length: { length: 2 ** 31 },
  'the name of what every object has': 'constructor',
  'the name of the prototype': '__proto__',
};
const oddNames = ['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty', ''];

/**
 * Yields bodies with one wrong value each, in every place of an otherwise valid body that has all fields at every
 * depth.
 */
export function* wrongBodies(input: Shape, ids: readonly string[], isDeep: boolean): Iterable<WrongBody> {
  const whole = wholeBody(input, ids);
  const values = isDeep ? { ...always, ...inDeepRuns } : always;
  for (const place of placesOf(input, whole, [])) {
    const at = place.path.join('.') || 'the body';
    if (place.kinds !== undefined) {
      for (const [name, value] of Object.entries(values)) {
        const misfits = !place.kinds.includes(kindOf(value));
        yield { what: `${at}: ${name}`, body: withAt(whole, place.path, () => value), misfits };
      }
    }
    if (!place.isObject) continue;
    for (const name of isDeep ? oddNames : oddNames.slice(0, 2)) {
      for (const value of isDeep ? [null, [], {}, 'x'] : [null, {}]) {
        const body = withAt(whole, place.path, (object) =>
          Object.fromEntries([...Object.entries(object), [name, value]]),
        );
        yield { what: `${at}: a member ${name} ${JSON.stringify(value)}`, body, misfits: place.isClosed };
      }
    }
  }
}

interface Place {
  readonly path: readonly (string | number)[];
  /** Kinds of value that the field accepts. Undefined for the body itself, which is not a field. */
  readonly kinds?: readonly Kind[];
  readonly isObject: boolean;
  /** Whether an object accepts only the members of its shape. */
  readonly isClosed: boolean;
}

function* placesOf(shape: Shape, body: unknown, path: Place['path']): Iterable<Place> {
  if (path.length === 0) yield { path, isObject: true, isClosed: true };
  for (const [name, spec] of fieldsOf(shape)) {
    const value = (body as Readonly<Record<string, unknown>>)[name];
    yield* placesBelow(spec, value, [...path, name], body);
  }
}

function* placesBelow(spec: FieldSpec, value: unknown, path: Place['path'], parent: unknown): Iterable<Place> {
  const kinds = [...kindsOf(spec), ...(spec.nullable ? (['null'] as const) : [])];
  const inner = spec.type === 'object' ? (spec.shape?.() ?? settingsOf(path, parent)) : undefined;
  yield { path, kinds, isObject: kindOf(value) === 'object', isClosed: inner !== undefined };
  if (inner) yield* placesOf(inner, value, path);
  if (spec.type !== 'array' || !Array.isArray(value)) return;
  const { items } = spec;
  const item: Kind = items === 'string' ? 'string' : 'object';
  for (const [index, one] of value.entries()) {
    const at = [...path, index];
    yield { path: at, kinds: [item], isObject: item === 'object', isClosed: typeof items === 'function' };
    if (typeof items === 'function') yield* placesOf(items(), one, at);
  }
}

const kinds = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const;
const kindsOf = ({ type }: FieldSpec): readonly Kind[] =>
  type === 'any' ? kinds : type === 'integer' ? ['number'] : [type];

/** Returns the shape of a flow step's settings, which depends on the kind of step. */
function settingsOf(path: Place['path'], step: unknown): Shape | undefined {
  const kind = (step as { readonly kind?: keyof typeof settingShapes }).kind;
  return path.at(-1) === 'settings' && kind !== undefined ? settingShapes[kind] : undefined;
}

function withAt(value: unknown, [first, ...rest]: Place['path'], change: (value: object) => unknown): object {
  if (first === undefined) return change(value as object) as object;
  if (Array.isArray(value)) return value.map((item, at) => (at === first ? withAt(item, rest, change) : item));
  const entries = Object.entries(value as object);
  return Object.fromEntries(entries.map(([key, one]) => [key, key === first ? withAt(one, rest, change) : one]));
}

/** Returns a body with every field at every depth, each with a valid value. */
function wholeBody(shape: Shape, ids: readonly string[]): object {
  return Object.fromEntries([...fieldsOf(shape)].map(([name, spec]) => [name, fitting(name, spec, ids)]));
}

const texts = ['a', 'A', 'app.shop.sold', '2030-01-01T00:00:00Z', 'x'.repeat(30)];

function fitting(name: string, spec: FieldSpec, ids: readonly string[]): unknown {
  switch (spec.type) {
    case 'string': {
      if (spec.enum) return spec.enum[0];
      if (spec.format) return '2030-01-01T00:00:00Z';
      if (/id$|ref$|^function$/i.test(name)) return ids[0];
      const fits = (text: string) => (spec.pattern?.test(text) ?? true) && text.length >= (spec.minLength ?? 0);
      return texts.find(fits) ?? 'a';
    }
    case 'integer':
    case 'number':
      return spec.minimum ?? 1;
    case 'boolean':
      return true;
    case 'object':
      return spec.shape ? wholeBody(spec.shape(), ids) : { a: { b: [1] } };
    case 'array':
      if (name === 'steps') return Object.entries(settingShapes).map(([kind, shape]) => stepOf(kind, shape, ids));
      if (typeof spec.items === 'function') return [wholeBody(spec.items(), ids)];
      return [spec.items === 'object' ? { field: 'id', op: 'eq', value: 'a' } : (spec.enum?.[0] ?? 'a')];
    case 'any':
      return ['any', 'a', {}, [], 1].find((value) => spec.wrong?.(value) === undefined);
  }
}

function stepOf(kind: string, shape: Shape, ids: readonly string[]): object {
  return { id: kind, name: kind, kind, settings: wholeBody(shape, ids) };
}
