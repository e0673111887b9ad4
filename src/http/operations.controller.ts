import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Pipeline } from '../engine/pipeline.js';
import { refuse } from '../kernel/refusal.js';
import { noBody } from './body.js';

type OperationRequest = FastifyRequest<{ Params: { area: string; operation: string }; Body: Buffer | undefined }>;

/** The one door: every operation of every area. */
@Controller('api/v1/:area/:operation')
export class OperationsController {
  constructor(private readonly pipeline: Pipeline) {}

  @All()
  async handle(@Req() request: OperationRequest, @Res() reply: FastifyReply): Promise<void> {
    const { area, operation } = request.params;
    if (request.method !== 'POST') {
      refuse('method-not-allowed', { method: request.method, allow: 'POST' }, { allow: 'POST' });
    }
    const answer = await this.pipeline.handle({
      operation: `${area}/${operation}`,
      authorization: request.headers.authorization,
      contentType: request.headers['content-type'],
      idempotencyKey: one(request.headers['idempotency-key']),
      body: request.body ?? noBody,
    });
    if (answer.behind) reply.header('X-Read-Model', 'behind');
    if (answer.ageSeconds > 0) reply.header('X-Read-Model-Age', answer.ageSeconds);
    if (answer.repeated) reply.header('Idempotency-Replayed', 'true');
    if (answer.waiting) reply.code(202);
    reply.header('Cache-Control', 'no-store').type('application/json').send(JSON.stringify(answer.body));
  }
}

const one = (header: string | string[] | undefined) => (Array.isArray(header) ? header.join(', ') : header);
