import { type AnswerSpec, allOperations, type RegisteredOperation } from '../engine/operation/operation.js';
import { NamedSchemas, objectSchema, type Schema, type Shapes } from '../engine/operation/schema.js';

/** OpenAPI 3.1, generated: the operations are the document. @throws Error where two schemas would have one name */
export function openApi(baseUrl: string, operations: readonly RegisteredOperation[] = allOperations()): object {
  const schemas = new NamedSchemas('#/components/schemas/', ['Problem', 'DryRun']);
  const paths = Object.fromEntries(
    operations.map((operation) => [`/api/v1/${operation.name}`, { post: post(operation, schemas) }]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: '1',
      description:
        'Every operation is a POST with a JSON object and a Bearer key. Commands take an Idempotency-Key, and X-Dry-Run: true has them tried without being done. Who may call what: /api/docs/authority.md.',
    },
    servers: [{ url: baseUrl }],
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { ...schemas.all, Problem: problem, DryRun: dryRunAnswer },
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
    decisionId: {
      type: 'string',
      description: 'Where an access rule or a right refused: what workspace/explainDecision tells the reason of.',
    },
    errors: {
      type: 'array',
      items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
};

function post(operation: RegisteredOperation, named: NamedSchemas): object {
  const [area = ''] = operation.name.split('/');
  const schemas = named.in(area);
  const refused = {
    description: 'Refused, and why.',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
  return {
    operationId: operation.name.replace('/', '_'),
    tags: [area],
    summary: operation.summary,
    description: descriptionOf(operation),
    ...(operation.effect === 'command' ? { parameters: [idempotencyKey, dryRun] } : {}),
    requestBody: { required: true, content: { 'application/json': { schema: schemas.of(operation.input) } } },
    responses: {
      200: {
        description: operation.effect === 'command' ? 'Done; with X-Dry-Run: true a `DryRun` instead.' : 'Done.',
        content: { 'application/json': { schema: answerSchema(operation.answers, schemas) } },
      },
      default: refused,
    },
  };
}

function descriptionOf({ source, effect, permission, outside }: RegisteredOperation): string {
  const lasting = outside === undefined ? '' : ` What no later change takes back: it ${outside.join(', ')}.`;
  return `${source}. A ${effect}; needs the right \`${permission}\`.${lasting}`;
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 255 },
  description: 'One effect and one answer, however often the call is sent.',
};

const dryRun = {
  name: 'X-Dry-Run',
  in: 'header',
  required: false,
  schema: { type: 'string', enum: ['true', 'false'] },
  description:
    'true: nothing is done. The answer is a `DryRun` (see the schemas), or the refusal that the call would have.',
};

const dryRunAnswer: Schema = {
  type: 'object',
  description: 'What a command would do. Nothing has changed.',
  properties: {
    dryRun: { type: 'boolean', const: true },
    events: {
      type: 'array',
      description: 'The events that would be recorded, in order.',
      items: {
        type: 'object',
        properties: {
          type: { type: 'string' },
          stream: { type: 'string' },
          data: { description: 'As listEvents shows it; null for events that you may not read in the audit.' },
        },
        required: ['type', 'stream', 'data'],
      },
    },
    card: {
      type: ['object', 'null'],
      description: 'The pending change that would wait for a person.',
      properties: {
        kind: { type: 'string' },
        approver: { type: 'string', enum: ['editor', 'admin'] },
        summary: { type: 'string' },
        changes: { type: 'array', items: { type: 'object' } },
      },
      required: ['kind', 'approver'],
    },
    answer: { description: 'What the call would answer; null where that depends on what lies outside.' },
    outside: {
      type: 'array',
      items: { type: 'string' },
      description:
        'What cannot be tried. Where `answer` is null, the trial came to it, and the events are those up to there.',
    },
  },
  required: ['dryRun', 'events', 'card', 'answer', 'outside'],
};

function answerSchema(answers: AnswerSpec, schemas: Shapes): Schema {
  if ('record' in answers) return schemas.of(answers.record);
  if ('list' in answers) return { type: 'array', items: schemas.of(answers.list) };
  return objectSchema(Object.entries(answers.fields), schemas);
}
