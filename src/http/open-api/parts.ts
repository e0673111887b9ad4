import type { AnswerSpec } from '../../engine/operation/operation.js';
import { anyObject, type OpenApiSchema, objectSchema, type Shapes } from '../../engine/operation/schema.js';

/** Must equal the version in package.json and the newest in CHANGELOG.md. */
export const apiVersion = '0.1.0';

export const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    description:
      'Makes the call safe to repeat: it takes effect once, and every repetition within eight days gets the same response.',
  },
  DryRun: {
    name: 'X-Dry-Run',
    in: 'header',
    required: false,
    schema: { type: 'string', enum: ['true', 'false'] },
    description:
      'true tries the command without any effect. The response is a `DryRun`, or the refusal that the call would get.',
  },
};

const seconds: OpenApiSchema = { type: 'integer', minimum: 1 };

export const headers = {
  RetryAfter: { description: 'Number of seconds after which the call may be sent again.', schema: seconds },
  Authenticate: { description: 'How to authenticate.', schema: { type: 'string' } },
  ReadModel: {
    description: 'Present if lists may not yet show the effect of this call or of earlier ones.',
    schema: { type: 'string', enum: ['behind'] },
  },
  ReadModelAge: {
    description: 'Number of seconds since the service last confirmed that the read models show the whole log.',
    schema: seconds,
  },
  Replayed: {
    description: 'This is the response to the first call with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
};

const text = { type: 'string' };

export const dryRun: OpenApiSchema = {
  type: 'object',
  description: 'The effect that a command would have. Nothing was changed.',
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
            description: 'The data as listEvents shows it. null for events that you may not read in the audit.',
          },
        },
        required: ['type', 'stream', 'data'],
      },
    },
    card: {
      type: ['object', 'null'],
      description: "The card that would wait for a person's approval.",
      properties: {
        kind: text,
        approver: { type: 'string', enum: ['editor', 'admin'] },
        summary: text,
        changes: { type: 'array', items: { $ref: '#/components/schemas/CardDifference' } },
      },
      required: ['kind', 'approver'],
    },
    answer: { description: 'The response of the call. null if it depends on effects outside the service.' },
    outside: {
      type: 'array',
      items: text,
      description:
        'Effects outside the service, which a dry run does not carry out. If `answer` is null, the dry run stopped at such an effect, and `events` contains the events before it.',
    },
  },
  required: ['dryRun', 'events', 'card', 'answer', 'outside'],
};

export const waiting: OpenApiSchema = {
  type: 'object',
  description:
    'The change has not been made, because a person must approve it first. If a part of it did not need approval, that part was done, and the response also contains the updated record.',
  properties: {
    pendingChange: { $ref: '#/components/schemas/Card' },
    approveLink: { ...text, format: 'uri', description: 'Page on which a person decides.' },
  },
  required: ['pendingChange', 'approveLink'],
  additionalProperties: true,
};

export function answerSchema(answers: AnswerSpec, shapes: Shapes): OpenApiSchema {
  if ('record' in answers) {
    const schema = shapes.of(answers.record);
    return answers.orNull ? { anyOf: [schema, { type: 'null' }] } : schema;
  }
  if ('list' in answers) return { type: 'array', items: shapes.of(answers.list) };
  return objectSchema(Object.entries(answers.fields), shapes);
}
