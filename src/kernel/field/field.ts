import type { JsonObject } from '../json/json.js';

export type Shape = new () => object;

interface Common {
  readonly description?: string;
  /** May be left out. */
  readonly optional?: true;
  /** May be null: elsewhere null is refused. */
  readonly nullable?: true;
  /** As secret as a password. Of an answer: hidden from language models that ask. Of an input: hidden on cards. */
  readonly password?: true;
  /**
   * Of an answer: shown once and kept nowhere. An answer that is repeated for its Idempotency-Key has null in its place, so
   * the field is nullable. A member `notShown` beside it says why.
   */
  readonly once?: true;
  /** Exactly what is taken when it is left out; said in the OpenAPI document, and sent by clients that are made from it. */
  readonly default?: string | number | boolean | readonly never[];
}

/** One parameter, or one member of an answer: the words of JSON Schema, closed. Lengths count code points. */
export type FieldSpec = Common &
  (
    | {
        readonly type: 'string';
        readonly minLength?: number;
        readonly maxLength?: number;
        readonly pattern?: RegExp;
        /** Follows `must be` in the error of a text that does not match. Left out, the error shows the pattern. */
        readonly must?: string;
        readonly enum?: readonly string[];
        /** ISO 8601: a date is midnight UTC, a date-time carries an offset. */
        readonly format?: 'date-time';
        /** What the decision judges beside these, in words of JSON Schema for the document. */
        readonly schema?: Readonly<Record<string, unknown>>;
      }
    | {
        readonly type: 'integer' | 'number';
        readonly minimum?: number;
        readonly maximum?: number;
        readonly enum?: readonly number[];
      }
    | { readonly type: 'boolean' }
    /** Without a shape: any JSON object. `maxBytes` bounds its JSON in UTF-8. */
    | { readonly type: 'object'; readonly shape?: () => Shape; readonly maxBytes?: number }
    | {
        readonly type: 'array';
        readonly items: 'string' | 'object' | (() => Shape);
        readonly maxItems?: number;
        readonly enum?: readonly string[];
      }
    /**
     * What the words above cannot say. `schema` shows it and judges it; `must` says what it must be, after `must be`. `wrong`
     * says so in detail, and judges what no schema can say.
     */
    | {
        readonly type: 'any';
        readonly schema?: Readonly<Record<string, unknown>>;
        readonly must?: string;
        readonly wrong?: (value: unknown) => string | undefined;
      }
  );

/** What the value of such a field is, where its words do not say it to the compiler. */
export interface Typed<Value> {
  /** For the compiler alone: it is never set. */
  readonly typed?: Value;
}

/** Says the type of a field's value: `typed<Condition>()({ type: 'any', … })`. */
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

/** The type of a field's value. */
export type ValueOfSpec<Spec> = Whole<Spec> | (Spec extends { readonly nullable: true } ? null : never);

export type FieldSpecs = Readonly<Record<string, FieldSpec>>;

/** The type of an object with these fields. */
export type ValuesOf<Specs> = {
  readonly [Name in keyof Specs as Specs[Name] extends { readonly optional: true } ? never : Name]: ValueOfSpec<
    Specs[Name]
  >;
} & {
  readonly [Name in keyof Specs as Specs[Name] extends { readonly optional: true } ? Name : never]?: ValueOfSpec<
    Specs[Name]
  >;
};

/** A class with these fields, called so in the OpenAPI document. */
export function shapeOf<const Specs extends FieldSpecs>(name: string, specs: Specs): new () => ValuesOf<Specs> {
  const shape = class {};
  Object.defineProperty(shape, 'name', { value: name });
  for (const [field, spec] of Object.entries(specs)) declareField(shape, field, spec);
  return shape as new () => ValuesOf<Specs>;
}

const open = new WeakSet<object>();

/** The answer has members beyond those that its class declares, such as the columns of a table. */
export function OpenShape(shape: Shape): void {
  open.add(shape);
}

export const isOpenShape = (shape: Shape): boolean => open.has(shape);

const fields = new WeakMap<object, Map<string, FieldSpec>>();

/** The fields of an input or answer class, in the order they are written. */
export function fieldsOf(shape: Shape): ReadonlyMap<string, FieldSpec> {
  const inherited = Object.getPrototypeOf(shape) as Shape;
  const own = fields.get(shape) ?? new Map<string, FieldSpec>();
  return typeof inherited === 'function' && inherited.prototype ? new Map([...fieldsOf(inherited), ...own]) : own;
}

/** Declares a field once: input is judged by it, hydration follows it, OpenAPI and the catalogue show it. */
export function Field(spec: FieldSpec): PropertyDecorator {
  return (target, property) => declareField(target.constructor as Shape, String(property), spec);
}

/** As `Field`, for a parameter that all operations of a sort have. */
export function declareField(shape: Shape, name: string, spec: FieldSpec): void {
  const own = fields.get(shape) ?? new Map<string, FieldSpec>();
  own.set(name, spec);
  fields.set(shape, own);
}
