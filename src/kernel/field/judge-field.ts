import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { arrayMaxSize } from 'class-validator/cjs/decorator/array/ArrayMaxSize.js';
import { isIn } from 'class-validator/cjs/decorator/common/IsIn.js';
import { max } from 'class-validator/cjs/decorator/number/Max.js';
import { min } from 'class-validator/cjs/decorator/number/Min.js';
import { matches } from 'class-validator/cjs/decorator/string/Matches.js';
import { isArray } from 'class-validator/cjs/decorator/typechecker/IsArray.js';
import { isBoolean } from 'class-validator/cjs/decorator/typechecker/IsBoolean.js';
import { isInt } from 'class-validator/cjs/decorator/typechecker/IsInt.js';
import { isNumber } from 'class-validator/cjs/decorator/typechecker/IsNumber.js';
import { isObject } from 'class-validator/cjs/decorator/typechecker/IsObject.js';
import { isString } from 'class-validator/cjs/decorator/typechecker/IsString.js';
import { instantOf } from '../condition/instant.js';
import { mustBe } from '../text/must-be.js';
import type { FieldSpec } from './field.js';

/** Any text passes as an email address, because operations validate addresses themselves. */
const formats = { 'date-time': (text: string) => instantOf(text) !== undefined, email: true } as const;
const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false, formats });
const judges = new WeakMap<object, ValidateFunction>();

type Of<Type extends FieldSpec['type']> = Extract<FieldSpec, { readonly type: Type }>;

/**
 * A wrong type is reported before any other problem. Members of objects and items of lists with a shape are not checked
 * here, because `inputOf` visits them.
 */
export function wrongValue(spec: FieldSpec, value: unknown): string | undefined {
  if ((spec.optional && value === undefined) || (spec.nullable && value === null)) return undefined;
  switch (spec.type) {
    case 'string':
      return isString(value) ? wrongText(spec, value) : mustBe('a string', value);
    case 'integer':
      return isInt(value) ? wrongNumber({ ...exact, ...spec }, value as number) : mustBe('an integer', value);
    case 'number':
      return isNumber(value) ? wrongNumber(spec, value) : mustBe('a number', value);
    case 'boolean':
      return isBoolean(value) ? undefined : mustBe('true or false', value);
    case 'object':
      return isObject(value) ? wrongObject(spec, value) : mustBe('an object', value);
    case 'array':
      return isArray(value) ? wrongList(spec, value) : mustBe('an array', value);
    case 'any':
      return wrongAny(spec, value);
  }
}

function wrongAny({ schema, must, wrong }: Of<'any'>, value: unknown): string | undefined {
  if (schema === undefined)
    return wrong === undefined && value === undefined ? mustBe('a JSON value', value) : wrong?.(value);
  if (fitsSchema(schema, value)) return wrong?.(value);
  return wrong?.(value) ?? mustBe(must ?? noMessage, value);
}

const noMessage = 'as the OpenAPI document describes';

function wrongText({ enum: allowed, pattern, must, format, minLength, maxLength }: Of<'string'>, text: string) {
  if (allowed && !isIn(text, allowed)) return oneOf(allowed);
  if (pattern && !matches(text, pattern))
    return `must ${must === undefined ? `match ${pattern.source}` : `be ${must}`}`;
  if (format && instantOf(text) === undefined) return 'must be an ISO 8601 date or date-time';
  if (maxLength !== undefined && isLonger(text, maxLength)) return `must be at most ${maxLength} characters`;
  if (minLength === undefined || isLonger(text, minLength - 1)) return undefined;
  return minLength === 1 ? 'must not be empty' : `must be at least ${minLength} characters`;
}

/** Larger integers would be rounded during parsing. */
const exact = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

function wrongNumber({ minimum, maximum, enum: allowed }: Of<'integer' | 'number'>, value: number): string | undefined {
  if (allowed && !isIn(value, allowed)) return oneOf(allowed);
  if (minimum !== undefined && !min(value, minimum)) return `must be ${minimum} or more`;
  if (maximum !== undefined && !max(value, maximum)) return `must be ${maximum} or less`;
  return undefined;
}

function wrongObject({ maxBytes }: Of<'object'>, value: object): string | undefined {
  if (maxBytes === undefined || Buffer.byteLength(JSON.stringify(value)) <= maxBytes) return undefined;
  return `must be at most ${maxBytes} bytes of JSON`;
}

/** Does not examine the items of a list that is too long. */
function wrongList({ items, maxItems, enum: allowed }: Of<'array'>, list: readonly unknown[]): string | undefined {
  if (maxItems !== undefined && !arrayMaxSize(list, maxItems)) return `must have at most ${maxItems} entries`;
  if (allowed && !list.every((item) => isIn(item, allowed))) return `each ${oneOf(allowed)}`;
  if (items === 'string' && !list.every(isString)) return 'each must be a string';
  if (items === 'object' && !list.every(isObject)) return 'each must be an object';
  return undefined;
}

/** A code point has one or two of the units that `length` counts. */
function isLonger(text: string, codePoints: number): boolean {
  if (text.length <= codePoints) return false;
  return text.length > 2 * codePoints || [...text].length > codePoints;
}

const oneOf = (allowed: readonly (string | number)[]) => `must be one of: ${allowed.join(', ')}`;

/** Lengths count code points and are checked before patterns. */
export function fitsSchema(schema: Readonly<Record<string, unknown>>, value: unknown): boolean {
  const judge = judges.get(schema) ?? ajv.compile(schema);
  judges.set(schema, judge);
  return judge(value);
}
