import type { FieldSpecs } from '../../../kernel/field/field.js';
import { shapeOf } from '../../../kernel/field/field.js';
import { usualTimeout } from './proxied-request.js';

export const proxyInput = {
  url: { type: 'string', minLength: 1, maxLength: 32_000, description: 'http or https, without user and password.' },
  method: { type: 'string', minLength: 1, maxLength: 40, optional: true, description: 'GET where it is left out.' },
  headers: {
    type: 'object',
    maxBytes: 100_000,
    optional: true,
    description: 'Texts by name. Those of a connection, such as Host and Content-Length, are left out.',
  },
  body: { type: 'any', optional: true, description: 'A text is sent as it is, anything else as JSON. 10 MB at most.' },
  encoding: {
    type: 'string',
    enum: ['base64'],
    optional: true,
    description: 'The body is bytes, written in base64. An addition of ours.',
  },
  timeout: {
    type: 'number',
    minimum: 1,
    maximum: 60_000,
    optional: true,
    default: usualTimeout,
    description: 'Milliseconds until the whole answer has to be there.',
  },
} as const satisfies FieldSpecs;

export const ProxiedAnswerShape = shapeOf('ProxiedAnswer', {
  status: { type: 'integer' },
  headers: { type: 'object', description: 'In lower case, without those of a connection and without cookies.' },
  body: { type: 'string', description: 'A text, or bytes in base64 where encoding says so. 10 MB at most.' },
  encoding: { type: 'string', enum: ['base64'], optional: true },
});
