import { type FieldSpec, fieldsOf, type Shape } from '../engine/operation/field.js';
import { type AnswerSpec, allOperations, type RegisteredOperation } from '../engine/operation/operation.js';

type Schema = Record<string, unknown>;

/** OpenAPI 3.1, generated: the operations are the document. */
export function openApi(baseUrl: string): object {
  const schemas = new Map<string, Schema>();
  const paths = Object.fromEntries(
    allOperations().map((operation) => [`/api/v1/${operation.name}`, { post: post(operation, schemas) }]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: '1',
      description: 'Every operation is a POST with a JSON object and a Bearer key. Commands take an Idempotency-Key.',
    },
    servers: [{ url: baseUrl }],
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { ...Object.fromEntries(schemas), Problem: problem },
    },
  };
}

const problem: Schema = {
  type: 'object',
  description: 'RFC 9457 problem details.',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'The cause and the next step.' },
    code: { type: 'string' },
    requestId: { type: 'string' },
    errors: {
      type: 'array',
      items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
};

function post(operation: RegisteredOperation, schemas: Map<string, Schema>): object {
  const [area = ''] = operation.name.split('/');
  const refused = {
    description: 'Refused, and why.',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
  return {
    operationId: operation.name.replace('/', '_'),
    tags: [area],
    summary: operation.summary,
    description: `${operation.source}. A ${operation.effect}; needs the right \`${operation.permission}\`.`,
    ...(operation.effect === 'command' ? { parameters: [idempotencyKey] } : {}),
    requestBody: { required: true, content: { 'application/json': { schema: named(operation.input, schemas) } } },
    responses: {
      200: {
        description: 'Done.',
        content: { 'application/json': { schema: answerSchema(operation.answers, schemas) } },
      },
      default: refused,
    },
  };
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 255 },
  description: 'One effect and one answer, however often the call is sent.',
};

function answerSchema(answers: AnswerSpec, schemas: Map<string, Schema>): Schema {
  if ('record' in answers) return named(answers.record, schemas);
  if ('list' in answers) return { type: 'array', items: named(answers.list, schemas) };
  return objectSchema(Object.entries(answers.fields), schemas);
}

function named(shape: Shape, schemas: Map<string, Schema>): Schema {
  if (!schemas.has(shape.name)) {
    schemas.set(shape.name, {});
    schemas.set(shape.name, objectSchema([...fieldsOf(shape)], schemas));
  }
  return { $ref: `#/components/schemas/${shape.name}` };
}

function objectSchema(fields: readonly (readonly [string, FieldSpec])[], schemas: Map<string, Schema>): Schema {
  const required = fields.filter(([, spec]) => !spec.optional).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, spec]) => [name, fieldSchema(spec, schemas)])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** The JSON Schema of one field: what class-validator is told, in the words of the document. */
export function fieldSchema(spec: FieldSpec, schemas: Map<string, Schema>): Schema {
  const common = {
    ...(spec.description === undefined ? {} : { description: spec.description }),
    ...(spec.default === undefined ? {} : { default: spec.default }),
  };
  const schema = { ...typeSchema(spec, schemas), ...common };
  return spec.nullable ? { anyOf: [schema, { type: 'null' }] } : schema;
}

function typeSchema(spec: FieldSpec, schemas: Map<string, Schema>): Schema {
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
      return spec.shape ? named(spec.shape(), schemas) : { type: 'object' };
    case 'array': {
      const { items, maxItems } = spec;
      const each = typeof items === 'function' ? named(items(), schemas) : { type: items };
      return without({ type: 'array', items: spec.enum ? { ...each, enum: spec.enum } : each, maxItems });
    }
    case 'any':
      return { ...spec.schema };
  }
}

const without = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
