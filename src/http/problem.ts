import { type Refusal, type RefusalKind } from '../kernel/refusals/refusal.js';
import { statusOf } from '../kernel/refusals/refusal-status.js';
import { bodyLimit } from './body.js';
import { refusalOf } from './http.refusals.js';

const titleOf: Readonly<Record<RefusalKind, string>> = {
  invalid: 'Invalid input',
  unauthenticated: 'Not authenticated',
  forbidden: 'Not allowed',
  'not-found': 'Not found',
  method: 'Method not allowed',
  conflict: 'Conflict with the current state',
  'too-large': 'Too large',
  'media-type': 'Unsupported media type',
  failed: 'The function failed',
  limited: 'Limit reached',
  unavailable: 'Currently unavailable',
};

/** Problem details (RFC 9457). The body also has `code`, `requestId` and the facts of the refusal. */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export function problemOf(refusal: Refusal, requestId: string): Problem {
  const { retryAfterSeconds, allow, authenticate, ...facts } = refusal.facts as Refusal['facts'] & {
    allow?: string;
    authenticate?: string;
  };
  const status = statusOf[refusal.kind];
  return {
    status,
    headers: {
      ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
      ...(allow === undefined ? {} : { Allow: allow }),
      ...(refusal.kind === 'unauthenticated' ? { 'WWW-Authenticate': authenticate ?? 'Bearer' } : {}),
    },
    body: {
      type: `urn:problem:${refusal.code}`,
      title: titleOf[refusal.kind],
      status,
      detail: refusal.message,
      code: refusal.code,
      requestId,
      ...facts,
    },
  };
}

/** Reveals nothing about the fault. Operators find the fault in the log by the request id. */
export function faultProblem(requestId: string): Problem {
  return {
    status: 500,
    headers: {},
    body: {
      type: 'urn:problem:internal',
      title: 'Internal error',
      status: 500,
      detail: 'An unexpected error occurred in the service; its operator can find it in the log by the request id.',
      code: 'internal',
      requestId,
    },
  };
}

export function refusalOfStatus(status: number, path: string): Refusal {
  if (status === 413) return refusalOf('body-too-large', { limit: bodyLimit });
  if (status === 415) return refusalOf('media-type-not-supported');
  if (status === 404) return refusalOf('unknown-path', { path });
  return refusalOf('bad-request');
}
