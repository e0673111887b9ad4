import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { Readiness } from '../engine/health/readiness.js';
import { DocsController } from './documents/docs.controller.js';
import { HealthController } from './health.controller.js';
import { refuse } from './http.refusals.js';

const alwaysOpen: readonly unknown[] = [HealthController, DocsController];

/**
 * Refuses calls in processes without the role `api`, and while the process starts or stops, except for the controllers
 * that are always open.
 */
@Injectable()
export class OpenDoor implements CanActivate {
  constructor(
    private readonly environment: Environment,
    private readonly readiness: Readiness,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (!alwaysOpen.includes(context.getClass())) this.mustBeOpen();
    return true;
  }

  isOpen(): boolean {
    return this.readiness.started && this.environment.roles.includes('api');
  }

  /** @throws Refusal no-api-here, service-starting */
  mustBeOpen(): void {
    if (!this.environment.roles.includes('api')) refuse('no-api-here', undefined, { retryAfterSeconds: 5 });
    if (!this.readiness.started) refuse('service-starting', undefined, { retryAfterSeconds: 2 });
  }
}
