import { type FieldSpec, fieldsOf, type Shape } from './field.js';

export type Schema = Record<string, unknown>;

/** How the shapes that stand in a schema are written. */
export interface Shapes {
  of(shape: Shape): Schema;
}

/** Each shape once, under its name: what stands for it is a reference. */
export class NamedSchemas implements Shapes {
  private readonly schemas = new Map<string, Schema>();

  /** `prefix` is what references begin with, e.g. `#/components/schemas/`. */
  constructor(private readonly prefix: string) {}

  of(shape: Shape): Schema {
    if (!this.schemas.has(shape.name)) {
      this.schemas.set(shape.name, {});
      this.schemas.set(shape.name, objectSchema([...fieldsOf(shape)], this));
    }
    return { $ref: `${this.prefix}${shape.name}` };
  }

  get all(): Readonly<Record<string, Schema>> {
    return Object.fromEntries(this.schemas);
  }
}

/** A shape without a reference in it, for readers that follow none: what would stand within itself is any object. */
export function wholeSchema(shape: Shape, above: readonly Shape[] = []): Schema {
  const within = [...above, shape];
  const of = (inner: Shape) => (within.includes(inner) ? { type: 'object' } : wholeSchema(inner, within));
  return objectSchema([...fieldsOf(shape)], { of });
}

export function objectSchema(fields: readonly (readonly [string, FieldSpec])[], shapes: Shapes): Schema {
  const required = fields.filter(([, spec]) => !spec.optional).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, spec]) => [name, fieldSchema(spec, shapes)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** The JSON Schema of one field: what it is judged by, in the words of JSON Schema. */
function fieldSchema(spec: FieldSpec, shapes: Shapes): Schema {
  const common = {
    ...(spec.description === undefined ? {} : { description: spec.description }),
    ...(spec.default === undefined ? {} : { default: spec.default }),
  };
  const schema = { ...typeSchema(spec, shapes), ...common };
  return spec.nullable ? { anyOf: [schema, { type: 'null' }] } : schema;
}

function typeSchema(spec: FieldSpec, shapes: Shapes): Schema {
  switch (spec.type) {
    case 'string': {
      const { minLength, maxLength, pattern, format } = spec;
      return without({ type: 'string', minLength, maxLength, pattern: pattern?.source, format, enum: spec.enum });
    }
    case 'integer':
    case 'number':
      return without({ type: spec.type, minimum: spec.minimum, maximum: spec.maximum });
    case 'boolean':
      return { type: 'boolean' };
    case 'object':
      return spec.shape ? shapes.of(spec.shape()) : { type: 'object' };
    case 'array': {
      const { items, maxItems } = spec;
      const each = typeof items === 'function' ? shapes.of(items()) : { type: items };
      return without({ type: 'array', items: spec.enum ? { ...each, enum: spec.enum } : each, maxItems });
    }
    case 'any':
      return { ...spec.schema };
  }
}

const without = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
