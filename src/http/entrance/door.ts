import type { Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

/** Whose share of the memory for bodies a request uses. */
export interface BodyShare {
  /** `caller` has a key or a page session. `stranger`: anybody else who is no visitor of a site, such as a webhook's sender. */
  readonly of: 'caller' | 'stranger' | 'visitor';
  /** A workspace, a webhook, a site and an address. */
  readonly name: string;
}

/** How the body of an admitted request is read. */
export interface Admission {
  readonly share: BodyShare;
  /** The largest allowed body in bytes. */
  readonly limit: number;
  /** The route reads the body itself, piece by piece; it is not gathered in memory. Default: it is gathered. */
  readonly streamed?: true;
}

/** Admits or refuses requests by request line and headers alone, before any of the body is read. */
export abstract class Door<Admitted extends Admission = Admission> {
  /** Whether what comes through it may be tried without being done. */
  readonly takesDryRuns: boolean = false;
  private readonly admitted = new WeakMap<FastifyRequest, Admitted>();

  async admit(request: FastifyRequest): Promise<Admitted> {
    const admission = await this.judge(request);
    this.admitted.set(request, admission);
    return admission;
  }

  /** What `judge` found out about this request. */
  of(request: FastifyRequest): Admitted {
    const admission = this.admitted.get(request);
    if (admission === undefined) throw new Error(`${request.routeOptions.url} has been reached round its door.`);
    return admission;
  }

  /** @throws Refusal */
  protected abstract judge(request: FastifyRequest): Promise<Admitted>;
}

interface Passage {
  readonly door?: Type<Door>;
  /** The largest body of this route in bytes, where that is smaller than the door's usual one. */
  readonly limit?: number;
}

/** The route can be reached only through this door. On a route without a door, bodies are not read. */
export const Through = (door: Type<Door>, more: Pick<Passage, 'limit'> = {}) => RouteConfig({ door, ...more });

export const passageOf = ({ routeOptions }: FastifyRequest): Passage => routeOptions.config as Passage;
