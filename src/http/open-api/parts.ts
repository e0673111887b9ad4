import type { AnswerSpec } from '../../engine/operation/operation.js';
import { anyObject, type OpenApiSchema, objectSchema, type Shapes } from '../../engine/operation/schema.js';

/** Version of the product. It must equal that in package.json and the newest in CHANGELOG.md. */
export const apiVersion = '0.1.0';

/** Request headers. */
export const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    description: 'One effect and one answer, however often the call is sent; kept for eight days.',
  },
  DryRun: {
    name: 'X-Dry-Run',
    in: 'header',
    required: false,
    schema: { type: 'string', enum: ['true', 'false'] },
    description: 'true: nothing is done. The answer is a `DryRun`, or the refusal that the call would have.',
  },
};

const seconds: OpenApiSchema = { type: 'integer', minimum: 1 };

/** Response headers. */
export const headers = {
  RetryAfter: { description: 'Seconds after which the call may be sent again.', schema: seconds },
  Authenticate: { description: 'How to authenticate.', schema: { type: 'string' } },
  ReadModel: {
    description: 'Lists did not show what this call did, or all that was done before it, when it was answered.',
    schema: { type: 'string', enum: ['behind'] },
  },
  ReadModelAge: {
    description: 'Seconds for which nothing could confirm that the read models show the whole log.',
    schema: seconds,
  },
  Replayed: {
    description: 'This is the answer of the first call with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
};

const text = { type: 'string' };

export const dryRun: OpenApiSchema = {
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
          type: text,
          stream: text,
          data: {
            ...anyObject,
            type: ['object', 'null'],
            description: 'As listEvents shows it; null for events that you may not read in the audit.',
          },
        },
        required: ['type', 'stream', 'data'],
      },
    },
    card: {
      type: ['object', 'null'],
      description: 'The pending change that would wait for a person.',
      properties: {
        kind: text,
        approver: { type: 'string', enum: ['editor', 'admin'] },
        summary: text,
        changes: { type: 'array', items: { $ref: '#/components/schemas/CardDifference' } },
      },
      required: ['kind', 'approver'],
    },
    answer: { description: 'What the call would answer; null where that depends on what lies outside.' },
    outside: {
      type: 'array',
      items: text,
      description:
        'What cannot be tried. Where `answer` is null, the trial came to it, and the events are those up to there.',
    },
  },
  required: ['dryRun', 'events', 'card', 'answer', 'outside'],
};

export const waiting: OpenApiSchema = {
  type: 'object',
  description:
    'Nothing of this has happened: a person has to approve it. Where a part could be done at once, it was, and the record as it is now stands beside the card.',
  properties: {
    pendingChange: { $ref: '#/components/schemas/Card' },
    approveLink: { ...text, format: 'uri', description: 'The page on which a person decides.' },
  },
  required: ['pendingChange', 'approveLink'],
  additionalProperties: true,
};

/** Returns the schema of the successful response of an operation or route. */
export function answerSchema(answers: AnswerSpec, shapes: Shapes): OpenApiSchema {
  if ('record' in answers) {
    const schema = shapes.of(answers.record);
    return answers.orNull ? { anyOf: [schema, { type: 'null' }] } : schema;
  }
  if ('list' in answers) return { type: 'array', items: shapes.of(answers.list) };
  return objectSchema(Object.entries(answers.fields), shapes);
}
