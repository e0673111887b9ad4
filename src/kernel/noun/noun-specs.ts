import type { FieldSpec } from '../field/field.js';
import { type AnyField, is, type NounFields } from './noun-field.js';

type Specs = Readonly<Record<string, FieldSpec>>;

export const createSpecs = (fields: NounFields): Specs =>
  specs(fields, (field) =>
    is(field, 'unsent') || is(field, 'set later') ? undefined : sent(field, 'create', is(field, 'defaulted')),
  );

export const updateSpecs = (fields: NounFields): Specs =>
  specs(fields, (field) => (is(field, 'unsent') || is(field, 'fixed') ? undefined : sent(field, 'update', true)));

export const keySpecs = (fields: NounFields): Specs =>
  specs(fields, (field) => (is(field, 'key') ? (field.made.naming ?? sent(field, 'update', false)) : undefined));

export const answerSpecs = (fields: NounFields): Specs =>
  specs(fields, (field) => {
    const isShown = !is(field, 'internal') && (!is(field, 'key') || is(field, 'answered'));
    return isShown
      ? { ...(field.made.shown ?? unbounded(field.sent)), ...nullable(field), ...descriptionOf(field, 'answer') }
      : undefined;
  });

/**
 * Puts the fields in the order of `names`, for API documents whose order differs from the noun's.
 * @throws Error if `names` is incomplete
 */
export function specsInOrder(specs: Specs, names: readonly string[] | undefined): Specs {
  if (names === undefined) return specs;
  const missing = Object.keys(specs).filter((name) => !names.includes(name));
  if (missing.length > 0) throw new Error(`The order does not name: ${missing.join(', ')}.`);
  return Object.fromEntries(names.flatMap((name) => (specs[name] === undefined ? [] : [[name, specs[name]]])));
}

function specs(fields: NounFields, of: (field: AnyField) => FieldSpec | undefined): Specs {
  const made = Object.entries(fields).map(([name, field]) => [name, of(field)] as const);
  return Object.fromEntries(made.filter((one): one is readonly [string, FieldSpec] => one[1] !== undefined));
}

function sent(field: AnyField, use: 'create' | 'update', isOptional: boolean): FieldSpec {
  const { isDocumented, initial } = field.made;
  return {
    ...field.sent,
    ...(isOptional && { optional: true }),
    ...(is(field, use === 'create' ? 'sent as null' : 'clearable') && { nullable: true }),
    ...(use === 'create' && isDocumented && { default: initial as string }),
    ...descriptionOf(field, use),
  };
}

const nullable = ({ made }: AnyField) => (made.isNullable ? ({ nullable: true } as const) : {});

function descriptionOf({ made: { descriptions } }: AnyField, use: 'create' | 'update' | 'answer') {
  const description = descriptions[use] ?? (use === 'answer' ? undefined : descriptions.sent);
  return description === undefined ? {} : { description };
}

function unbounded(spec: FieldSpec): FieldSpec {
  switch (spec.type) {
    case 'string': {
      const { minLength: _, maxLength: __, pattern: ___, schema: ____, ...rest } = spec;
      return rest;
    }
    case 'integer':
    case 'number': {
      const { minimum: _, maximum: __, ...rest } = spec;
      return rest;
    }
    case 'array': {
      const { maxItems: _, ...rest } = spec;
      return rest;
    }
    case 'object': {
      const { maxBytes: _, ...rest } = spec;
      return rest;
    }
    case 'boolean':
    case 'any':
      return spec;
  }
}
