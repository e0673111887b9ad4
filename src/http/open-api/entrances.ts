import { anyObject } from '../../engine/operation/schema.js';
import { refusedWith } from './refusals.js';

const text = { type: 'string' } as const;
const json = (schema: object) => ({ 'application/json': { schema } });
const runId = { 'X-Run-Id': { description: 'The id of the run that the delivery started.', schema: text } };
const query = (name: string, schema: object, description: string) => ({ name, in: 'query', schema, description });
const time = { type: 'string', format: 'date-time' } as const;

const webhook = {
  operationId: 'webhook',
  tags: ['entrances'],
  summary: 'Delivers to a webhook. Runs its function and returns the result, or starts its flow or agent.',
  description:
    'The token must be kept as secret as a password. A JSON object or a form becomes params; any other body becomes their member body. A repeated delivery with the same Idempotency-Key or webhook-id gets the first response. If the webhook verifies deliveries, they must be signed as set with setWebhookVerification.',
  security: [{}],
  parameters: [
    {
      name: 'token',
      in: 'path',
      required: true,
      schema: text,
      description: "The token, which is the last part of the webhook's URL.",
    },
    { $ref: '#/components/parameters/IdempotencyKey' },
    {
      name: 'webhook-id',
      in: 'header',
      schema: text,
      description: 'Id of the delivery as defined by Standard Webhooks. Works like Idempotency-Key.',
    },
    {
      name: 'Prefer',
      in: 'header',
      schema: text,
      description: 'With respond-async, the response is sent as soon as the start of the run is durable.',
    },
    {
      name: 'X-Site-Session',
      in: 'header',
      schema: text,
      description: 'The session of a user of the site, on whose behalf the function then runs.',
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
      description: 'The function succeeded.',
      headers: runId,
      content: json({
        type: 'object',
        properties: {
          success: { type: 'boolean', const: true },
          data: { description: 'The return value of the function.' },
        },
        required: ['success'],
        additionalProperties: false,
      }),
    },
    202: {
      description: 'The run was accepted and will be started.',
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
      description: 'The function failed, with its error message; or `internal`.',
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
  description:
    'Requires the right `audit.read`. Each line is a JSON object. The last line confirms that the file is complete.',
  parameters: [
    query('from', time, 'Only events at or after this time.'),
    query('to', time, 'Only events before this time.'),
    query(
      'after',
      { type: 'integer', minimum: 0 },
      'The number of the last event in an interrupted export. The export continues after it.',
    ),
  ],
  responses: {
    200: { description: 'The exported file.', content: { 'application/x-ndjson': { schema: text } } },
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
  summary: 'Streams changes of cards as Server-Sent Events.',
  description: 'The name of each event is what happened to the card, its id is its position, and its data is the card.',
  parameters: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      schema: { type: 'string', pattern: '^\\d{0,16}$' },
      description:
        'The id of the last event received. Later events are sent. If omitted or empty, only new events are sent.',
    },
  ],
  responses: {
    200: { description: 'The event stream.', content: { 'text/event-stream': { schema: text } } },
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
  summary: 'Checks whether the process is running.',
  security: [{}],
  responses: {
    200: {
      description: 'The process is running.',
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
        description:
          'Parts that the roles of the process need, by name: `ok`, or a sentence that describes the problem.',
      },
    },
    required: ['status', 'parts'],
    additionalProperties: false,
  });

const isReady = {
  operationId: 'readyz',
  tags: ['operators'],
  summary: 'Checks whether the process can handle calls, and returns the state of each part.',
  security: [{}],
  responses: {
    200: { description: 'The process is ready.', content: readiness('ready') },
    ...refusedWith(['bad-request', 'method-not-allowed']),
    503: { description: 'The process is not ready, or is about to stop.', content: readiness('not ready') },
  },
};

const metrics = {
  operationId: 'metrics',
  tags: ['operators'],
  summary: 'Returns the metrics of the process in the Prometheus format.',
  description:
    'Requires `METRICS_TOKEN` as a Bearer token. If it is not set, only requests from the same machine, not through a proxy, are accepted.',
  security: [{}, { key: [] }],
  responses: {
    200: { description: 'Metrics in the Prometheus text format.', content: { 'text/plain': { schema: text } } },
    ...refusedWith(['bad-request', 'method-not-allowed', 'metrics-token-wrong', 'metrics-not-open']),
  },
};

export const entrances = {
  tags: [
    { name: 'entrances', description: 'Webhooks, the audit export, and the stream of cards.' },
    { name: 'operators', description: 'Health, readiness and metrics of the process.' },
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
