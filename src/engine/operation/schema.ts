import { type FieldSpec, fieldsOf, isOpenShape, type Shape } from '../../kernel/field/field.js';

export type OpenApiSchema = Record<string, unknown>;

export interface Shapes {
  of(shape: Shape): OpenApiSchema;
}

/**
 * A schema is named after its class. If a class of another area has the same name, the area is the prefix, e.g.
 * `site_CreateSchedule`.
 */
export class NamedSchemas {
  private readonly names = new Map<Shape, string>();
  private readonly schemas = new Map<string, OpenApiSchema>();

  /** @param prefix beginning of each reference, e.g. `#/components/schemas/` */
  constructor(
    private readonly prefix: string,
    private readonly taken: readonly string[] = [],
  ) {}

  /** The returned builder throws an Error if a class has no name, or if two classes of the area have the same name. */
  in(area: string): Shapes {
    const shapes: Shapes = { of: (shape) => ({ $ref: `${this.prefix}${this.nameOf(shape, area, shapes)}` }) };
    return shapes;
  }

  get all(): Readonly<Record<string, OpenApiSchema>> {
    return Object.fromEntries(this.schemas);
  }

  private nameOf(shape: Shape, area: string, shapes: Shapes): string {
    const known = this.names.get(shape);
    if (known !== undefined) return known;
    const name = [shape.name, `${area}_${shape.name}`].find(
      (one) => !this.schemas.has(one) && !this.taken.includes(one),
    );
    if (name === undefined || shape.name === '') {
      throw new Error(
        `The OpenAPI document cannot name a schema of the area ${area}: a class has no name, or has the name '${shape.name}' of another class. Rename it.`,
      );
    }
    this.names.set(shape, name);
    // Reserve the name first, because the shape may contain itself.
    this.schemas.set(name, {});
    this.schemas.set(name, shapeSchema(shape, shapes));
    return name;
  }
}

/** `additionalProperties` is explicit, because some clients treat an object schema without it as closed. */
export const anyObject: OpenApiSchema = { type: 'object', additionalProperties: true };

/**
 * Returns a schema without references, for clients that cannot follow them. Where a shape contains itself, the inner
 * one is described as any object.
 */
export function wholeSchema(shape: Shape, above: readonly Shape[] = []): OpenApiSchema {
  const within = [...above, shape];
  const of = (inner: Shape) => (within.includes(inner) ? anyObject : wholeSchema(inner, within));
  return shapeSchema(shape, { of });
}

function shapeSchema(shape: Shape, shapes: Shapes): OpenApiSchema {
  const closed = objectSchema([...fieldsOf(shape)], shapes);
  return isOpenShape(shape) ? { ...closed, additionalProperties: true } : closed;
}

export function objectSchema(fields: readonly (readonly [string, FieldSpec])[], shapes: Shapes): OpenApiSchema {
  const required = fields.filter(([, spec]) => !spec.optional).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, spec]) => [name, fieldSchema(spec, shapes)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

function fieldSchema(spec: FieldSpec, shapes: Shapes): OpenApiSchema {
  const common = {
    ...(spec.description === undefined ? {} : { description: spec.description }),
    ...(spec.default === undefined ? {} : { default: spec.default }),
  };
  const schema = { ...typeSchema(spec, shapes), ...common };
  return spec.nullable ? { anyOf: [schema, { type: 'null' }] } : schema;
}

function typeSchema(spec: FieldSpec, shapes: Shapes): OpenApiSchema {
  switch (spec.type) {
    case 'string': {
      const { minLength, maxLength, pattern, format } = spec;
      return without({
        type: 'string',
        minLength,
        maxLength,
        pattern: pattern?.source,
        format,
        enum: spec.enum,
        ...spec.schema,
      });
    }
    case 'integer':
    case 'number':
      return without({ type: spec.type, minimum: spec.minimum, maximum: spec.maximum, enum: spec.enum });
    case 'boolean':
      return { type: 'boolean' };
    case 'object':
      return spec.shape ? shapes.of(spec.shape()) : anyObject;
    case 'array': {
      const { items, maxItems } = spec;
      const each = typeof items === 'function' ? shapes.of(items()) : items === 'object' ? anyObject : { type: items };
      return without({ type: 'array', items: spec.enum ? { ...each, enum: spec.enum } : each, maxItems });
    }
    case 'any':
      return { ...spec.schema };
  }
}

const without = (schema: OpenApiSchema): OpenApiSchema =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
