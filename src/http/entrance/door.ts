import type { Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

/** The share of the memory for bodies that a request uses. */
export interface BodyShare {
  /**
   * `caller` has a key or a page session. `stranger` is any other sender who is not a visitor of a site, such as a
   * webhook's sender.
   */
  readonly of: 'caller' | 'stranger' | 'visitor';
  /** Name of the share: a workspace, a webhook, or a site with an address. */
  readonly name: string;
}

/** Result of admitting a request: how its body is read. */
export interface Admission {
  readonly share: BodyShare;
  /** Size limit of the body, in bytes. */
  readonly limit: number;
  /** Set if the route reads the body itself in chunks. By default, the body is gathered in memory. */
  readonly streamed?: true;
}

/** Admits or refuses requests based on their request line and headers alone, before any of the body is read. */
export abstract class Door<Admitted extends Admission = Admission> {
  /** Whether requests of this kind support dry runs. */
  readonly takesDryRuns: boolean = false;
  private readonly admitted = new WeakMap<FastifyRequest, Admitted>();

  async admit(request: FastifyRequest): Promise<Admitted> {
    const admission = await this.judge(request);
    this.admitted.set(request, admission);
    return admission;
  }

  /** Returns the result of `judge` for this request. */
  of(request: FastifyRequest): Admitted {
    const admission = this.admitted.get(request);
    if (admission === undefined) throw new Error(`${request.routeOptions.url} has been reached round its door.`);
    return admission;
  }

  /** Decides about a request. @throws Refusal if it is not admitted */
  protected abstract judge(request: FastifyRequest): Promise<Admitted>;
}

interface Passage {
  readonly door?: Type<Door>;
  /** Size limit of this route's body, in bytes, if it is lower than the door's limit. */
  readonly limit?: number;
}

/**
 * Route decorator: requests reach the route only if this door admits them. On routes without a door, bodies are not
 * read.
 */
export const Through = (door: Type<Door>, more: Pick<Passage, 'limit'> = {}) => RouteConfig({ door, ...more });

export const passageOf = ({ routeOptions }: FastifyRequest): Passage => routeOptions.config as Passage;
