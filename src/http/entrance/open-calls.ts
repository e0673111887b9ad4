import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refusalOf } from '../http.refusals.js';
import { problemOf } from '../problem.js';

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

  forget(request: FastifyRequest): void {
    this.open.delete(request);
  }

  get count(): number {
    return this.open.size;
  }

  /** Refuses the calls that have no response yet, and aborts the responses that have begun. */
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
