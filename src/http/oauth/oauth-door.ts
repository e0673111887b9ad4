import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import { RateLimit } from '../../engine/quotas/rate-limit.js';
import { Clock } from '../../ports/clock.port.js';
import { mustUse } from '../allowed-methods.js';
import { addressOf } from '../entrance/address-of.js';
import { type Admission, Door } from '../entrance/door.js';
import { refusalOf } from '../http.refusals.js';

const limit = 16 * 1024;
/** One address may send this number of requests per minute, all at once if necessary. */
const burst = 60;

@Injectable()
export class OAuthDoor extends Door {
  private readonly rate: RateLimit;

  constructor(
    private readonly environment: Environment,
    clock: Clock,
  ) {
    super();
    this.rate = new RateLimit({ burst, fillMs: 60_000 }, clock);
  }

  protected override async judge(request: FastifyRequest): Promise<Admission> {
    mustUse(request, 'POST');
    const address = addressOf(request, this.environment);
    this.rate.enforce(address, () => refusalOf('oauth-rate'));
    return { share: { of: 'stranger', name: address }, limit };
  }
}
