import type { JsonObject } from '../json/json.js';

export type Shape = new () => object;

interface Common {
  readonly description?: string;
  readonly optional?: true;
  readonly nullable?: true;
  /**
   * The value is as secret as a password. Language models do not see it in responses, and approval cards do not show it
   * in inputs.
   */
  readonly password?: true;
  /**
   * The value is in the first response only and is not stored. A response repeated for its Idempotency-Key contains
   * null instead, so the field is nullable, and a member `notShown` explains why.
   */
  readonly once?: true;
  /** The OpenAPI document contains the default, and generated clients send it. */
  readonly default?: string | number | boolean | readonly never[];
}

/** A closed subset of JSON Schema. Lengths count code points. */
export type FieldSpec = Common &
  (
    | {
        readonly type: 'string';
        readonly minLength?: number;
        readonly maxLength?: number;
        readonly pattern?: RegExp;
        /** Words after `must be` in the error message. By default, the message shows the pattern. */
        readonly must?: string;
        readonly enum?: readonly string[];
        /** ISO 8601. A date means midnight UTC; a date-time has an offset. */
        readonly format?: 'date-time';
        /** Only for the OpenAPI document. The operation itself enforces these rules. */
        readonly schema?: Readonly<Record<string, unknown>>;
      }
    | {
        readonly type: 'integer' | 'number';
        readonly minimum?: number;
        readonly maximum?: number;
        readonly enum?: readonly number[];
      }
    | { readonly type: 'boolean' }
    /** If `shape` is omitted, any JSON object is accepted. `maxBytes` limits its JSON in UTF-8. */
    | { readonly type: 'object'; readonly shape?: () => Shape; readonly maxBytes?: number }
    | {
        readonly type: 'array';
        readonly items: 'string' | 'object' | (() => Shape);
        readonly maxItems?: number;
        readonly enum?: readonly string[];
      }
    /**
     * For values that the other types cannot express. `must` completes the message `must be …`. `wrong` returns a
     * detailed message and validates what no schema can.
     */
    | {
        readonly type: 'any';
        readonly schema?: Readonly<Record<string, unknown>>;
        readonly must?: string;
        readonly wrong?: (value: unknown) => string | undefined;
      }
  );

/** Declares the type of a field's value if the specification does not imply it. Only the compiler uses `typed`. */
export interface Typed<Value> {
  readonly typed?: Value;
}

export const typed =
  <Value>() =>
  <const Spec extends FieldSpec>(spec: Spec): Spec & Typed<Value> =>
    spec;

type Named<Spec, Else> = Spec extends { readonly enum: readonly (infer One)[] } ? One : Else;

type ItemOf<Items, Spec> = Items extends () => new () => infer One
  ? One
  : Items extends 'string'
    ? Named<Spec, string>
    : object;

type Whole<Spec> = 'typed' extends keyof Spec
  ? Exclude<Spec['typed'], undefined>
  : Spec extends { readonly type: 'string' }
    ? Named<Spec, string>
    : Spec extends { readonly type: 'integer' | 'number' }
      ? number
      : Spec extends { readonly type: 'boolean' }
        ? boolean
        : Spec extends { readonly type: 'array'; readonly items: infer Items }
          ? readonly ItemOf<Items, Spec>[]
          : Spec extends { readonly type: 'object'; readonly shape: () => new () => infer Inner }
            ? Inner
            : Spec extends { readonly type: 'object' }
              ? JsonObject
              : unknown;

export type ValueOfSpec<Spec> = Whole<Spec> | (Spec extends { readonly nullable: true } ? null : never);

export type FieldSpecs = Readonly<Record<string, FieldSpec>>;

export type ValuesOf<Specs> = {
  readonly [Name in keyof Specs as Specs[Name] extends { readonly optional: true } ? never : Name]: ValueOfSpec<
    Specs[Name]
  >;
} & {
  readonly [Name in keyof Specs as Specs[Name] extends { readonly optional: true } ? Name : never]?: ValueOfSpec<
    Specs[Name]
  >;
};

export function shapeOf<const Specs extends FieldSpecs>(name: string, specs: Specs): new () => ValuesOf<Specs> {
  const shape = class {};
  Object.defineProperty(shape, 'name', { value: name });
  for (const [field, spec] of Object.entries(specs)) declareField(shape, field, spec);
  return shape as new () => ValuesOf<Specs>;
}

const open = new WeakSet<object>();

/** Responses of this shape may have members beyond the declared ones, such as the columns of a table. */
export function OpenShape(shape: Shape): void {
  open.add(shape);
}

export const isOpenShape = (shape: Shape): boolean => open.has(shape);

const fields = new WeakMap<object, Map<string, FieldSpec>>();

export function fieldsOf(shape: Shape): ReadonlyMap<string, FieldSpec> {
  const inherited = Object.getPrototypeOf(shape) as Shape;
  const own = fields.get(shape) ?? new Map<string, FieldSpec>();
  return typeof inherited === 'function' && inherited.prototype ? new Map([...fieldsOf(inherited), ...own]) : own;
}

/** One declaration serves validation, hydration, the OpenAPI document and the catalogue. */
export function Field(spec: FieldSpec): PropertyDecorator {
  return (target, property) => declareField(target.constructor as Shape, String(property), spec);
}

export function declareField(shape: Shape, name: string, spec: FieldSpec): void {
  const own = fields.get(shape) ?? new Map<string, FieldSpec>();
  own.set(name, spec);
  fields.set(shape, own);
}
