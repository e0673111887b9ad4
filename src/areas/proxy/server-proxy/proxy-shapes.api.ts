import type { FieldSpecs } from '../../../kernel/field/field.js';
import { shapeOf } from '../../../kernel/field/field.js';
import { usualTimeout } from './proxied-request.js';

export const proxyInput = {
  url: {
    type: 'string',
    minLength: 1,
    maxLength: 32_000,
    description: 'An http or https URL without a user name or password.',
  },
  method: { type: 'string', minLength: 1, maxLength: 40, optional: true, description: 'Default: GET.' },
  headers: {
    type: 'object',
    maxBytes: 100_000,
    optional: true,
    description: 'Header values by name. Connection headers such as Host and Content-Length are dropped.',
  },
  body: {
    type: 'any',
    optional: true,
    description: 'A string is sent as it is, and any other value as JSON. At most 10 MB.',
  },
  encoding: {
    type: 'string',
    enum: ['base64'],
    optional: true,
    description: 'base64 if the body is binary data encoded in base64.',
  },
  timeout: {
    type: 'number',
    minimum: 1,
    maximum: 60_000,
    optional: true,
    default: usualTimeout,
    description: 'Time within which the complete response must arrive, in milliseconds.',
  },
} as const satisfies FieldSpecs;

export const ProxiedAnswerShape = shapeOf('ProxiedAnswer', {
  status: { type: 'integer' },
  headers: {
    type: 'object',
    description: 'Header values by name in lower case, without connection headers and cookies.',
  },
  body: { type: 'string', description: 'Text, or base64 if `encoding` is base64. At most 10 MB.' },
  encoding: { type: 'string', enum: ['base64'], optional: true },
});
