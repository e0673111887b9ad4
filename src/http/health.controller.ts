import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { Metrics } from '../engine/metrics.js';
import { Readiness } from '../engine/readiness.js';
import { mayReadMetrics } from './metrics-readers.js';

@Controller()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly metrics: Metrics,
    private readonly environment: Environment,
  ) {}

  /** Alive: the process answers. */
  @Get('healthz')
  alive(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Ready: the state of each needed part, by name. */
  @Get('readyz')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const { ready, parts } = await this.readiness.look();
    reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', parts });
  }

  @Get('metrics')
  async measured(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    mayReadMetrics(request, this.environment);
    reply.type(this.metrics.contentType).send(await this.metrics.text());
  }
}
