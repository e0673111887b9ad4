import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { Metrics } from '../engine/health/metrics.js';
import { Readiness } from '../engine/health/readiness.js';
import { mustUse } from './allowed-methods.js';
import { mayReadMetrics } from './metrics-readers.js';

@Controller()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly metrics: Metrics,
    private readonly environment: Environment,
  ) {}

  @All('healthz')
  alive(@Req() request: FastifyRequest): { status: 'ok' } {
    mustUse(request, 'GET', 'HEAD');
    return { status: 'ok' };
  }

  @All('readyz')
  async ready(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    mustUse(request, 'GET', 'HEAD');
    const { ready, parts } = await this.readiness.look();
    reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', parts });
  }

  @All('metrics')
  async measured(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    mustUse(request, 'GET', 'HEAD');
    mayReadMetrics(request, this.environment);
    reply.type(this.metrics.contentType).send(await this.metrics.text());
  }
}
