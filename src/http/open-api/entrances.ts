import { anyObject } from '../../engine/operation/schema.js';
import { refusedWith } from './refusals.js';

const text = { type: 'string' } as const;
const json = (schema: object) => ({ 'application/json': { schema } });
const runId = { 'X-Run-Id': { description: 'The run that the delivery started.', schema: text } };
const query = (name: string, schema: object, description: string) => ({ name, in: 'query', schema, description });
const time = { type: 'string', format: 'date-time' } as const;

const webhook = {
  operationId: 'webhook',
  tags: ['entrances'],
  summary: 'Delivers to a webhook: runs its function and answers the result, or starts its flow or agent.',
  description:
    'The token is as good as a password. A JSON object, or a form, becomes params; anything else is their member body. A delivery with a known Idempotency-Key or webhook-id gets the first answer. Where the webhook verifies deliveries, they are signed as setWebhookVerification says.',
  security: [{}],
  parameters: [
    { name: 'token', in: 'path', required: true, schema: text, description: 'The last part of the URL.' },
    { $ref: '#/components/parameters/IdempotencyKey' },
    {
      name: 'webhook-id',
      in: 'header',
      schema: text,
      description: 'Of Standard Webhooks: names the delivery, as Idempotency-Key does.',
    },
    {
      name: 'Prefer',
      in: 'header',
      schema: text,
      description: 'respond-async: the answer is sent as soon as the run is durable.',
    },
    {
      name: 'X-Site-Session',
      in: 'header',
      schema: text,
      description: 'The session of a user of the site, for whom the function then runs.',
    },
  ],
  requestBody: {
    required: false,
    content: {
      ...json({}),
      'application/x-www-form-urlencoded': { schema: anyObject },
      'multipart/form-data': { schema: anyObject },
    },
  },
  responses: {
    200: {
      description: 'The function ran.',
      headers: runId,
      content: json({
        type: 'object',
        properties: { success: { type: 'boolean', const: true }, data: { description: 'What it returned.' } },
        required: ['success'],
        additionalProperties: false,
      }),
    },
    202: {
      description: 'The run was accepted and will happen.',
      headers: { ...runId, 'Preference-Applied': { description: 'respond-async', schema: text } },
      content: json({
        type: 'object',
        properties: { runId: text },
        required: ['runId'],
        additionalProperties: false,
      }),
    },
    ...refusedWith(
      [
        'webhook-not-found',
        'webhook-rate',
        'workspace-rate',
        'delivery-not-verified',
        'form-malformed',
        'form-too-large',
        'forms-taken',
        'body-too-large',
        'bodies-taken',
        'idempotency-key-in-progress',
        'runs-quota',
        'site-webhooks-off',
        'store-unavailable',
      ],
      { 403: 'an access rule of the function' },
    ),
    500: {
      description: 'The function failed, and how it says so; or `internal`.',
      content: {
        ...json({
          type: 'object',
          properties: { success: { type: 'boolean', const: false }, error: text },
          required: ['success', 'error'],
          additionalProperties: false,
        }),
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      },
    },
  },
};

const auditExport = {
  operationId: 'auditExport',
  tags: ['entrances'],
  summary: 'Exports the audit as NDJSON that can be verified offline.',
  description: 'Needs the right `audit.read`. Each line is a JSON object; the last one says that the file is whole.',
  parameters: [
    query('from', time, 'Events from this time on.'),
    query('to', time, 'Events up to this time.'),
    query('after', { type: 'integer', minimum: 0 }, 'The number of the last event of a file that broke off.'),
  ],
  responses: {
    200: { description: 'The file.', content: { 'application/x-ndjson': { schema: text } } },
    ...refusedWith([
      'invalid-input',
      'key-missing',
      'key-invalid',
      'permission-missing',
      'audit-not-as-sealed',
      'audit-exports-taken',
      'key-rate',
      'workspace-rate',
      'store-unavailable',
    ]),
  },
};

const stream = {
  operationId: 'approvalsStream',
  tags: ['entrances'],
  summary: 'Streams what becomes of cards, as Server-Sent Events.',
  description: 'Each event is named after what became of the card, has its position as id, and the card as data.',
  parameters: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      schema: { type: 'string', pattern: '^\\d{0,16}$' },
      description: 'The last position already held: later events are sent. Left out or empty: what comes from now on.',
    },
  ],
  responses: {
    200: { description: 'The stream.', content: { 'text/event-stream': { schema: text } } },
    ...refusedWith([
      'last-event-id-invalid',
      'key-missing',
      'key-invalid',
      'permission-missing',
      'key-rate',
      'workspace-rate',
      'event-streams-taken',
      'event-streams-of-workspace',
      'event-streams-of-caller',
      'store-unavailable',
    ]),
  },
};

const isAlive = {
  operationId: 'healthz',
  tags: ['operators'],
  summary: 'Says that the process is alive.',
  security: [{}],
  responses: {
    200: {
      description: 'It answers.',
      content: json({
        type: 'object',
        properties: { status: { type: 'string', const: 'ok' } },
        required: ['status'],
        additionalProperties: false,
      }),
    },
    ...refusedWith(['bad-request', 'method-not-allowed']),
  },
};

const readiness = (status: string) =>
  json({
    type: 'object',
    properties: {
      status: { type: 'string', const: status },
      parts: {
        type: 'object',
        additionalProperties: text,
        description: 'By name, each part that the roles of the process need: `ok`, or what is wrong in a sentence.',
      },
    },
    required: ['status', 'parts'],
    additionalProperties: false,
  });

const isReady = {
  operationId: 'readyz',
  tags: ['operators'],
  summary: 'Says whether the process can take calls, part by part.',
  security: [{}],
  responses: {
    200: { description: 'It can.', content: readiness('ready') },
    ...refusedWith(['bad-request', 'method-not-allowed']),
    503: { description: 'It cannot, or is about to stop.', content: readiness('not ready') },
  },
};

const metrics = {
  operationId: 'metrics',
  tags: ['operators'],
  summary: 'Returns the metrics of the process for Prometheus.',
  description: 'With `METRICS_TOKEN` as Bearer key or, where none is set, from the same machine and through no proxy.',
  security: [{}, { key: [] }],
  responses: {
    200: { description: 'In the text format of Prometheus.', content: { 'text/plain': { schema: text } } },
    ...refusedWith(['bad-request', 'method-not-allowed', 'metrics-token-wrong', 'metrics-not-open']),
  },
};

/** The addresses of the service that are not operations, for the OpenAPI document. */
export const entrances = {
  tags: [
    { name: 'entrances', description: 'Webhooks, the export of the audit, and the stream of cards.' },
    { name: 'operators', description: 'Whether the process is alive and ready, and its metrics.' },
  ],
  paths: {
    '/api/automations/functions/webhook/{token}': { post: webhook },
    '/api/v1/audit/export': { get: auditExport },
    '/api/v1/approvals/stream': { get: stream },
    '/healthz': { get: isAlive },
    '/readyz': { get: isReady },
    '/metrics': { get: metrics },
  },
};
