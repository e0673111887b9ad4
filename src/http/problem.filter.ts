import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../kernel/refusal.js';
import { bodyLimit } from './body.js';
import { faultOf, type Problem, problemOf, refusalOfStatus } from './problem.js';

/** Every error leaves through here, in one form. Only our own faults are logged, never a caller's mistakes. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly log = new Logger('Http');

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const { status, headers, body } = this.problem(error, request);
    if (reply.sent) return;
    reply.code(status).headers(headers).type('application/problem+json').send(JSON.stringify(body));
  }

  private problem(error: unknown, request: FastifyRequest): Problem {
    if (error instanceof Refusal) return problemOf(error, request.id);
    const status = statusOf(error);
    if (status >= 400 && status < 500) {
      const path = request.url.split('?')[0] ?? '';
      return problemOf(refusalOfStatus(status, { method: request.method, path, bodyLimit }), request.id);
    }
    this.log.error(
      `${request.id} ${request.method} ${request.routeOptions.url ?? 'unknown route'}: ${detailOf(error)}`,
    );
    return faultOf(request.id);
  }
}

function statusOf(error: unknown): number {
  if (typeof error !== 'object' || error === null) return 500;
  if ('getStatus' in error && typeof error.getStatus === 'function') return Number(error.getStatus());
  return 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
}

const detailOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : 'unknown error');
