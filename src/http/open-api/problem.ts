import { anyObject, type OpenApiSchema } from '../../engine/operation/schema.js';
import { statusOf } from '../../kernel/refusals/refusal-status.js';

const text = { type: 'string' };
const texts = { type: 'array', items: text };

/** Returns the schema of a list of records that a problem refers to. */
const listOf = (...members: readonly string[]) => ({
  type: 'array',
  items: { type: 'object', properties: Object.fromEntries(members.map((member) => [member, text])), required: members },
});

/** Schema of problem details (RFC 9457). Members that only some refusals have are optional. */
export const problem: OpenApiSchema = {
  type: 'object',
  description: 'RFC 9457 problem details. Further members may stand beside these.',
  properties: {
    type: { ...text, description: '`urn:problem:` and the code.' },
    title: text,
    status: { type: 'integer', enum: [...new Set([...Object.values(statusOf), 500])].sort() },
    detail: { ...text, description: 'The cause and the next step.' },
    code: { ...text, description: 'Stable: what a program decides by.' },
    requestId: { ...text, description: 'Finds the call in the log of whoever runs the service.' },
    errors: {
      type: 'array',
      description: 'Of invalid input: every wrong place.',
      items: {
        type: 'object',
        properties: {
          path: {
            ...text,
            description: 'In the body, as `rows[3].title`; the name of a header; or empty: the whole body.',
          },
          message: text,
        },
        required: ['path', 'message'],
      },
    },
    decisionId: {
      ...text,
      description: 'Where an access rule or a right refused: what workspace/explainDecision tells the reason of.',
    },
    details: { ...anyObject, description: 'What the sentence is about, such as what changed since, or the run.' },
    line: { type: 'integer', description: 'Of code that cannot be parsed, from 1.' },
    column: { type: 'integer', description: 'Of code that cannot be parsed, from 1.' },
    updatedAt: { ...text, format: 'date-time', description: 'Of a stale save: when it was changed last.' },
    position: { type: 'integer', description: 'In the log, of what the call was refused for.' },
    count: { type: 'integer', description: 'How many are in the way.' },
    fields: {
      type: 'array',
      items: { anyOf: [text, anyObject] },
      description: 'The fields that it is about, by name; or those that the table has, each with its id and name.',
    },
    functions: { ...listOf('id', 'name'), description: 'The functions that are in the way.' },
    mailboxes: { ...texts, description: 'The mailboxes that there are, by name.' },
    packages: { ...listOf('name', 'version', 'reason'), description: 'The packages that were refused.' },
    keys: { ...texts, description: 'The words that are not known.' },
    contentHash: { ...text, description: 'Of a stale save: of the content as it is now.' },
    resource: {
      type: 'object',
      description: 'The place whose rule is in the way.',
      properties: { kind: text, id: text, name: text, operation: text },
    },
    upgradeUrl: { ...text, description: 'Where the plan that it needs is described.' },
    success: { type: 'boolean', const: false, description: 'Of a function of a site that failed.' },
    error: { ...text, description: 'The own sentence of a function of a site that failed.' },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  additionalProperties: true,
};
