import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { Metrics } from '../../engine/metrics.js';
import { type Refusal, refusalOf } from '../../kernel/refusal.js';
import { GrowingBody } from './growing-body.js';

export interface BodyTerms {
  /** Whose share of the memory it uses: a workspace, or the address of a client that is not authenticated. */
  readonly share: string;
  /** The largest allowed size in bytes. */
  readonly limit: number;
  /** The Content-Length, if there is one. */
  readonly declared?: number | undefined;
}

interface Share {
  readonly name: string;
  held: number;
  /** In the order they began. */
  readonly bodies: Set<Gathered>;
}

interface Gathered {
  readonly body: GrowingBody;
  giveUp(): void;
}

/**
 * Reads bodies, all together within one memory limit (`BODIES_MB`). What has arrived is counted, not the Content-Length:
 * a client that announces much and sends nothing uses nothing. When the limit is reached, the share that uses the most
 * loses its newest body, so that one workspace can never keep another's bodies out.
 */
@Injectable()
export class BodyGathering {
  private readonly shares = new Map<string, Share>();
  private held = 0;

  constructor(
    private readonly environment: Environment,
    metrics: Metrics,
  ) {
    metrics.gauge('countersign_body_bytes', 'Bytes of bodies that are coming in.', [], async (gauge) => {
      gauge.set(this.held);
    });
  }

  /** @throws Refusal body-too-large, bodies-taken; bad-request when the connection breaks */
  gather(source: Readable, { share: name, limit, declared }: BodyTerms): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const share = this.shareOf(name);
      const body = new GrowingBody(limit, declared);
      const end = (settle: () => void) => {
        source.off('data', take).off('end', whole).off('error', broken).off('close', broken);
        this.leave(share, one);
        settle();
      };
      const no = (refusal: Refusal) => end(() => reject(refusal));
      const giveUp = () => no(refusalOf('bodies-taken', undefined, { retryAfterSeconds: 2 }));
      const one: Gathered = { body, giveUp };
      const take = (piece: Buffer) => {
        if (body.exceeds(piece)) no(refusalOf('body-too-large', { limit }));
        else if (this.makeRoom(share, body.roomWith(piece) - body.room)) body.add(piece);
        else giveUp();
      };
      const whole = () => end(() => resolve(body.whole()));
      const broken = () => no(refusalOf('bad-request'));
      share.bodies.add(one);
      source.on('data', take).on('end', whole).on('error', broken).on('close', broken);
      if (source.destroyed) broken();
    });
  }

  /** Reserves memory before a body grows. False when this body has to be dropped itself. */
  private makeRoom(share: Share, more: number): boolean {
    while (more > 0 && this.held + more > this.environment.edge.bodyBytes) {
      const most = this.largest();
      if (most.held <= share.held + more) return false;
      const newest = [...most.bodies].findLast(({ body }) => body.room > 0);
      if (newest === undefined) return false;
      newest.giveUp();
    }
    this.held += more;
    share.held += more;
    return true;
  }

  private largest(): Share {
    let most: Share = { name: '', held: 0, bodies: new Set() };
    for (const share of this.shares.values()) if (share.held > most.held) most = share;
    return most;
  }

  private shareOf(name: string): Share {
    const share = this.shares.get(name) ?? { name, held: 0, bodies: new Set() };
    this.shares.set(name, share);
    return share;
  }

  private leave(share: Share, one: Gathered): void {
    if (!share.bodies.delete(one)) return;
    this.held -= one.body.room;
    share.held -= one.body.room;
    if (share.bodies.size === 0) this.shares.delete(share.name);
  }
}
