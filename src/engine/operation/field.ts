import {
  Allow,
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsString,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { instantOf } from '../../kernel/condition/instant.js';

export type Shape = new () => object;

interface Common {
  readonly description?: string;
  /** May be left out. */
  readonly optional?: true;
  /** May be null: elsewhere null is refused. */
  readonly nullable?: true;
  /** Of an answer: as secret as a password. Whoever asked gets it, and no language model that asks for them. */
  readonly password?: true;
  /**
   * Of an answer: shown once and kept nowhere. An answer that is repeated for its Idempotency-Key has null in its place, so
   * the field is nullable. A member `notShown` beside it says why.
   */
  readonly once?: true;
  /** What the operation takes when it is left out; said in the OpenAPI document. */
  readonly default?: string | number | boolean;
}

/** One parameter, or one member of an answer: the words of JSON Schema, closed. Lengths count code points. */
export type FieldSpec = Common &
  (
    | {
        readonly type: 'string';
        readonly minLength?: number;
        readonly maxLength?: number;
        readonly pattern?: RegExp;
        readonly enum?: readonly string[];
        /** ISO 8601: a date is midnight UTC, a date-time carries an offset. */
        readonly format?: 'date-time';
      }
    | { readonly type: 'integer' | 'number'; readonly minimum?: number; readonly maximum?: number }
    | { readonly type: 'boolean' }
    /** Without a shape: any JSON object. */
    | { readonly type: 'object'; readonly shape?: () => Shape }
    | {
        readonly type: 'array';
        readonly items: 'string' | 'object' | (() => Shape);
        readonly maxItems?: number;
        readonly enum?: readonly string[];
      }
    /**
     * What the words above cannot say: `schema` shows it, `wrong` judges it and says what it must be.
     */
    | {
        readonly type: 'any';
        readonly schema?: Readonly<Record<string, unknown>>;
        readonly wrong?: (value: unknown) => string | undefined;
      }
  );

const fields = new WeakMap<object, Map<string, FieldSpec>>();

/** The fields of an input or answer class, in the order they are written. */
export function fieldsOf(shape: Shape): ReadonlyMap<string, FieldSpec> {
  const inherited = Object.getPrototypeOf(shape) as Shape;
  const own = fields.get(shape) ?? new Map<string, FieldSpec>();
  return typeof inherited === 'function' && inherited.prototype ? new Map([...fieldsOf(inherited), ...own]) : own;
}

/**
 * Declares a field once: class-validator judges by it, hydration follows it, OpenAPI and the catalogue show it.
 */
export function Field(spec: FieldSpec): PropertyDecorator {
  return (target, property) => {
    const shape = target.constructor as Shape;
    const own = fields.get(shape) ?? new Map<string, FieldSpec>();
    own.set(String(property), spec);
    fields.set(shape, own);
    for (const decorate of rulesOf(spec)) decorate(target, property);
  };
}

function rulesOf(spec: FieldSpec): readonly PropertyDecorator[] {
  return [
    ...(spec.optional || spec.nullable
      ? [
          ValidateIf(
            (_, value) => !((spec.optional && value === undefined) || (spec.nullable && value === null)),
          ) as PropertyDecorator,
        ]
      : []),
    ...typeRules(spec),
  ];
}

/** The type comes first: of several things wrong with a member, the first is told. */
function typeRules(spec: FieldSpec): readonly PropertyDecorator[] {
  switch (spec.type) {
    case 'string':
      return [
        IsString({ message: required('a string') }),
        ...(spec.enum ? [IsIn([...spec.enum], { message: `must be one of: ${spec.enum.join(', ')}` })] : []),
        ...(spec.pattern ? [Matches(spec.pattern, { message: `must match ${spec.pattern.source}` })] : []),
        ...(spec.format
          ? [textRule('isInstant', (text) => instantOf(text) !== undefined, 'must be an ISO 8601 date or date-time')]
          : []),
        ...lengthRules(spec),
      ];
    case 'integer':
    case 'number':
      return [
        spec.type === 'integer'
          ? IsInt({ message: required('an integer') })
          : IsNumber({}, { message: required('a number') }),
        ...(spec.minimum === undefined ? [] : [Min(spec.minimum, { message: `must be ${spec.minimum} or more` })]),
        ...(spec.maximum === undefined ? [] : [Max(spec.maximum, { message: `must be ${spec.maximum} or less` })]),
      ];
    case 'boolean':
      return [IsBoolean({ message: required('true or false') })];
    case 'object':
      return [
        IsObject({ message: required('an object') }),
        ...(spec.shape ? [ValidateNested({ message: required('an object') })] : []),
      ];
    case 'array':
      return [
        IsArray({ message: required('an array') }),
        ...(spec.enum
          ? [IsIn([...spec.enum], { each: true, message: `each must be one of: ${spec.enum.join(', ')}` })]
          : []),
        ...(spec.items === 'string' ? [IsString({ each: true, message: 'each must be a string' })] : []),
        ...(spec.items === 'object' ? [IsObject({ each: true, message: 'each must be an object' })] : []),
        ...(typeof spec.items === 'function'
          ? [ValidateNested({ each: true, message: 'each must be an object' })]
          : []),
        ...(spec.maxItems === undefined
          ? []
          : [ArrayMaxSize(spec.maxItems, { message: `must have at most ${spec.maxItems} entries` })]),
      ];
    case 'any': {
      const { wrong } = spec;
      if (wrong === undefined) return [Allow()];
      const validator = {
        validate: (value: unknown) => wrong(value) === undefined,
        defaultMessage: (given?: { readonly value: unknown }) => wrong(given?.value) ?? 'does not fit',
      };
      return [ValidateBy({ name: 'fits', validator })];
    }
  }
}

/** class-validator's own rules would count an emoji's variation selector for nothing. */
function lengthRules({ minLength, maxLength }: { readonly minLength?: number; readonly maxLength?: number }) {
  const tooFew = minLength === 1 ? 'must not be empty' : `must be at least ${minLength} characters`;
  return [
    ...(maxLength === undefined
      ? []
      : [textRule('atMost', (text) => !isLonger(text, maxLength), `must be at most ${maxLength} characters`)]),
    ...(minLength === undefined ? [] : [textRule('atLeast', (text) => isLonger(text, minLength - 1), tooFew)]),
  ];
}

function textRule(name: string, fits: (text: string) => boolean, message: string): PropertyDecorator {
  const validate = (value: unknown) => typeof value === 'string' && fits(value);
  return ValidateBy({ name, validator: { validate, defaultMessage: () => message } });
}

/** In code points, of which each has one or two of the units that `length` counts. */
function isLonger(text: string, codePoints: number): boolean {
  if (text.length <= codePoints) return false;
  return text.length > 2 * codePoints || [...text].length > codePoints;
}

const required =
  (wanted: string) =>
  ({ value }: { readonly value: unknown }) =>
    value === undefined ? `is required and must be ${wanted}` : `must be ${wanted}`;
