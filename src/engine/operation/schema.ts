import { type FieldSpec, fieldsOf, isOpenShape, type Shape } from '../../kernel/field/field.js';

export type Schema = Record<string, unknown>;

/** How the shapes that stand in a schema are written. */
export interface Shapes {
  of(shape: Shape): Schema;
}

/**
 * Each shape once, under a name of its own: what stands for it is a reference. It is called as its class is; where another
 * area's class has that name already, its own area goes before it, as in `site_CreateSchedule`.
 */
export class NamedSchemas {
  private readonly names = new Map<Shape, string>();
  private readonly schemas = new Map<string, Schema>();

  /** `prefix` is what references begin with, e.g. `#/components/schemas/`; `taken` are names of somebody else's schemas. */
  constructor(
    private readonly prefix: string,
    private readonly taken: readonly string[] = [],
  ) {}

  /** For the operations of one area. @throws Error where two of its classes have one name */
  in(area: string): Shapes {
    const shapes: Shapes = { of: (shape) => ({ $ref: `${this.prefix}${this.nameOf(shape, area, shapes)}` }) };
    return shapes;
  }

  get all(): Readonly<Record<string, Schema>> {
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
        `The API's document cannot name a schema of the area ${area}: a class there has no name, or the name '${shape.name}' of another. Rename one of them.`,
      );
    }
    this.names.set(shape, name);
    // Its place is taken before what stands in it is looked at, which may be the shape itself.
    this.schemas.set(name, {});
    this.schemas.set(name, shapeSchema(shape, shapes));
    return name;
  }
}

/** Said, because readers take an object that says nothing of other members to have none. */
export const anyObject: Schema = { type: 'object', additionalProperties: true };

/** A shape without a reference in it, for readers that follow none: what would stand within itself is any object. */
export function wholeSchema(shape: Shape, above: readonly Shape[] = []): Schema {
  const within = [...above, shape];
  const of = (inner: Shape) => (within.includes(inner) ? anyObject : wholeSchema(inner, within));
  return shapeSchema(shape, { of });
}

function shapeSchema(shape: Shape, shapes: Shapes): Schema {
  const closed = objectSchema([...fieldsOf(shape)], shapes);
  return isOpenShape(shape) ? { ...closed, additionalProperties: true } : closed;
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

const without = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
