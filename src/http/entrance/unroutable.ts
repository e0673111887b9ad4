import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { refusalOf } from '../http.refusals.js';
import { problemOf } from '../problem.js';

/** Maximum length of one segment of a path, in characters as sent. */
export const longestPathPart = 500;

/** The response does not repeat the path, because it can be very long or contain a secret. */
export function answerUnroutable(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const refusal =
    error.code === 'FST_ERR_MAX_PARAM_LENGTH'
      ? refusalOf('path-part-too-long', { limit: longestPathPart })
      : refusalOf('path-malformed');
  const { status, headers, body } = problemOf(refusal, request.id);
  reply.code(status).headers({ ...headers, 'X-Request-Id': request.id, 'X-Content-Type-Options': 'nosniff' });
  reply.type('application/problem+json').send(JSON.stringify(body));
}
