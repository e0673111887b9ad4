import { anyObject, type OpenApiSchema } from '../../engine/operation/schema.js';
import { statusOf } from '../../kernel/refusals/refusal-status.js';

const text = { type: 'string' };
const texts = { type: 'array', items: text };

const listOf = (...members: readonly string[]) => ({
  type: 'array',
  items: { type: 'object', properties: Object.fromEntries(members.map((member) => [member, text])), required: members },
});

/** RFC 9457. Members that only some refusals have are optional. */
export const problem: OpenApiSchema = {
  type: 'object',
  description: 'Problem details (RFC 9457). Further members are possible.',
  properties: {
    type: { ...text, description: '`urn:problem:` followed by the code.' },
    title: text,
    status: { type: 'integer', enum: [...new Set([...Object.values(statusOf), 500])].sort() },
    detail: { ...text, description: 'A sentence with the cause and the next step.' },
    code: { ...text, description: 'Stable identifier of the error, for use by programs.' },
    requestId: { ...text, description: "Identifies the call in the service's log." },
    errors: {
      type: 'array',
      description: 'For invalid input: all errors found.',
      items: {
        type: 'object',
        properties: {
          path: {
            ...text,
            description:
              'Path in the body, such as `rows[3].title`, or the name of a header. Empty for the whole body.',
          },
          message: text,
        },
        required: ['path', 'message'],
      },
    },
    decisionId: {
      ...text,
      description:
        'For refusals by an access rule or a right: id of the decision, which workspace/explainDecision explains.',
    },
    details: { ...anyObject, description: 'Further details, such as the conflicting state or the run.' },
    line: { type: 'integer', description: 'For code that cannot be parsed: line number, counted from 1.' },
    column: { type: 'integer', description: 'For code that cannot be parsed: column number, counted from 1.' },
    updatedAt: {
      ...text,
      format: 'date-time',
      description: 'For an update based on an outdated version: time of the last change.',
    },
    position: { type: 'integer', description: 'Position in the log of the event that caused the refusal.' },
    count: { type: 'integer', description: 'Number of items that prevent the call.' },
    fields: {
      type: 'array',
      items: { anyOf: [text, anyObject] },
      description: 'Names of the fields in question, or the fields that the table has, each with its id and name.',
    },
    functions: { ...listOf('id', 'name'), description: 'Functions that prevent the call.' },
    mailboxes: { ...texts, description: 'Names of the available mailboxes.' },
    packages: { ...listOf('name', 'version', 'reason'), description: 'The refused packages.' },
    keys: { ...texts, description: 'The unknown keys.' },
    contentHash: { ...text, description: 'For an update based on an outdated version: hash of the current content.' },
    resource: {
      type: 'object',
      description: 'The resource whose rule refused the call.',
      properties: { kind: text, id: text, name: text, operation: text },
    },
    upgradeUrl: { ...text, description: 'Page that describes the required plan.' },
    success: { type: 'boolean', const: false, description: 'For a failed function of a site.' },
    error: { ...text, description: 'Error message of a failed function of a site.' },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  additionalProperties: true,
};
