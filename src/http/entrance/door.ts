import type { Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

export interface BodyShare {
  /**
   * `caller` has a key or a page session. `visitor` is a visitor of a site. `stranger` is anyone else, such as the
   * sender of a webhook.
   */
  readonly of: 'caller' | 'stranger' | 'visitor';
  readonly name: string;
}

export interface Admission {
  readonly share: BodyShare;
  /** Size limit of the body, in bytes. */
  readonly limit: number;
  /** The route reads the body itself in chunks. If omitted, the body is read into memory first. */
  readonly streamed?: true;
}

/**
 * Decides whether a request is admitted. The decision needs only the request line and headers, so the body of a refused
 * request is never read.
 */
export abstract class Door<Admitted extends Admission = Admission> {
  readonly takesDryRuns: boolean = false;
  private readonly admitted = new WeakMap<FastifyRequest, Admitted>();

  async admit(request: FastifyRequest): Promise<Admitted> {
    const admission = await this.judge(request);
    this.admitted.set(request, admission);
    return admission;
  }

  admittedOf(request: FastifyRequest): Admitted {
    const admission = this.admitted.get(request);
    if (admission === undefined)
      throw new Error(
        `The handler of ${request.routeOptions.url} was called, but its door has not admitted the request.`,
      );
    return admission;
  }

  protected abstract judge(request: FastifyRequest): Promise<Admitted>;
}

interface Passage {
  readonly door?: Type<Door>;
  /** Size limit of this route's body, in bytes, if it is lower than the door's limit. */
  readonly limit?: number;
}

/** Requests of the route must be admitted by the door. A route without a door receives no bodies. */
export const Through = (door: Type<Door>, more: Pick<Passage, 'limit'> = {}) => RouteConfig({ door, ...more });

export const passageOf = ({ routeOptions }: FastifyRequest): Passage => routeOptions.config as Passage;
