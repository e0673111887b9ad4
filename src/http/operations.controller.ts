import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Pipeline } from '../engine/pipeline/pipeline.js';
import { noBody } from './body.js';
import { Through } from './entrance/door.js';
import { headerOf } from './header-of.js';
import { OperationDoor } from './operation-door.js';

type OperationRequest = FastifyRequest<{ Body: Buffer | undefined }>;

@Controller('api/v1/:area/:operation')
export class OperationsController {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly door: OperationDoor,
  ) {}

  @All()
  @Through(OperationDoor)
  async handle(@Req() request: OperationRequest, @Res() reply: FastifyReply): Promise<void> {
    const answer = await this.pipeline.handle(this.door.admittedOf(request).admitted, {
      idempotencyKey: headerOf(request, 'idempotency-key'),
      body: request.body ?? noBody,
      dryRun: headerOf(request, 'x-dry-run'),
    });
    if (answer.behind) reply.header('X-Read-Model', 'behind');
    if (answer.ageSeconds > 0) reply.header('X-Read-Model-Age', answer.ageSeconds);
    if (answer.repeated) reply.header('Idempotency-Replayed', 'true');
    if (answer.waiting) reply.code(202);
    reply.header('Cache-Control', 'no-store').type('application/json').send(JSON.stringify(answer.body));
  }
}
