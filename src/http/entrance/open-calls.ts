import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refusalOf } from '../http.refusals.js';
import { problemOf } from '../problem.js';

/** Calls that have been received but not answered yet. */
@Injectable()
export class OpenCalls {
  private readonly open = new Map<FastifyRequest, FastifyReply>();

  /** Must be called before routes are added. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, reply, done) => {
      this.open.set(request, reply);
      done();
    });
    fastify.addHook('onResponse', (request, _reply, done) => {
      this.open.delete(request);
      done();
    });
    fastify.addHook('onRequestAbort', async (request) => void this.open.delete(request));
  }

  /** Stops tracking a request that has become something other than a call. */
  forget(request: FastifyRequest): void {
    this.open.delete(request);
  }

  get count(): number {
    return this.open.size;
  }

  /** Ends all open calls: answers those without a response with a refusal, and aborts responses that have begun. */
  endAll(): void {
    const refusal = refusalOf('service-stopping', undefined, { retryAfterSeconds: 2 });
    for (const [request, reply] of this.open) {
      const { status, headers, body } = problemOf(refusal, request.id);
      const { raw } = reply;
      reply.hijack();
      if (raw.headersSent) raw.destroy();
      else {
        raw.writeHead(status, { ...headers, 'Content-Type': 'application/problem+json', Connection: 'close' });
        raw.end(JSON.stringify(body));
      }
    }
    this.open.clear();
  }
}
