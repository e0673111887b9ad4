import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { seldom } from '../config/seldom.js';
import { reasonOf } from '../kernel/reason.js';
import { Refusal } from '../kernel/refusal.js';
import { refusals } from '../kernel/refusal-catalogue.js';
import { EventStoreUnavailable } from '../ports/event-store.port.js';
import { ReadStoreUnavailable } from '../ports/read-store.port.js';
import { VaultUnavailable } from '../ports/vault.port.js';
import { bodyLimit } from './body.js';
import { faultOf, type Problem, problemOf, refusalOfStatus } from './problem.js';

/** Every error leaves through here, in one form. Only our own faults are logged, never a caller's mistakes. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly log = new Logger('Http');
  private readonly warn = seldom((sentence) => this.log.warn(sentence));

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = this.problem(error, request);
    if (!reply.sent) this.send(reply, problem, request);
  }

  protected send(reply: FastifyReply, { status, headers, body }: Problem, _request: FastifyRequest): void {
    reply.code(status).headers(headers).type('application/problem+json').send(JSON.stringify(body));
  }

  /** The reason is for whoever runs the service: it may tell of the machine. */
  private away(store: string, error: unknown, requestId: string): Problem {
    this.warn(`The ${store} is away: ${reasonOf(error)}`);
    this.log.debug(`${requestId} was refused, because the ${store} is away.`);
    const sentence = refusals['store-unavailable'].sentence({ store });
    return problemOf(new Refusal('store-unavailable', sentence, { retryAfterSeconds: 5 }), requestId);
  }

  private problem(error: unknown, request: FastifyRequest): Problem {
    if (error instanceof Refusal) return problemOf(error, request.id);
    const store = storeAway(error);
    if (store !== undefined) return this.away(store, error, request.id);
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

/** Which of the stores it is that cannot be reached, when that is what the error tells. */
function storeAway(error: unknown): string | undefined {
  if (error instanceof EventStoreUnavailable) return 'event store';
  if (error instanceof ReadStoreUnavailable) return 'read store';
  return error instanceof VaultUnavailable ? 'vault' : undefined;
}

function statusOf(error: unknown): number {
  if (typeof error !== 'object' || error === null) return 500;
  if ('getStatus' in error && typeof error.getStatus === 'function') return Number(error.getStatus());
  return 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
}

const detailOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : 'unknown error');
