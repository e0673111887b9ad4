import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { refusalOf } from '../http.refusals.js';
import { problemOf } from '../problem.js';

/** Longest part of a path between slashes, in characters as sent. */
export const longestPathPart = 500;

/**
 * Responds to a path for which no route can be looked up. Does not repeat the path, because it may be long or contain a
 * password.
 */
export function answerUnroutable(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const refusal =
    error.code === 'FST_ERR_MAX_PARAM_LENGTH'
      ? refusalOf('path-part-too-long', { limit: longestPathPart })
      : refusalOf('path-malformed');
  const { status, headers, body } = problemOf(refusal, request.id);
  reply.code(status).headers({ ...headers, 'X-Request-Id': request.id, 'X-Content-Type-Options': 'nosniff' });
  reply.type('application/problem+json').send(JSON.stringify(body));
}
