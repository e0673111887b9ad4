import type { Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

/** What becomes of the body of a request that is let in. */
export interface Admission {
  /** Whose share of the memory for bodies it takes. */
  readonly share: string;
  /** The most it may carry, in bytes. */
  readonly limit: number;
}

/** Judges requests of its routes by their first line and headers alone, before anything of the body is read. */
export abstract class Door<Admitted extends Admission = Admission> {
  private readonly admitted = new WeakMap<FastifyRequest, Admitted>();

  async admit(request: FastifyRequest): Promise<Admitted> {
    const admission = await this.judge(request);
    this.admitted.set(request, admission);
    return admission;
  }

  /** What was found out about this request when it was let in. */
  of(request: FastifyRequest): Admitted {
    const admission = this.admitted.get(request);
    if (admission === undefined) throw new Error(`${request.routeOptions.url} has been reached round its door.`);
    return admission;
  }

  /** @throws Refusal */
  protected abstract judge(request: FastifyRequest): Promise<Admitted>;
}

/** The route is reached through this door alone. A route without one gets no bodies: they are not read. */
export const Through = (door: Type<Door>) => RouteConfig({ door });

export function doorOf(request: FastifyRequest): Type<Door> | undefined {
  return (request.routeOptions.config as { readonly door?: Type<Door> }).door;
}
