import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { Metrics } from '../../engine/metrics.js';
import { type Refusal, refusalOf } from '../../kernel/refusal.js';
import { GrowingBody } from './growing-body.js';

export interface BodyTerms {
  /** Whose share of the memory it takes: a workspace, or the address of somebody who is not known yet. */
  readonly share: string;
  /** Its most, in bytes. */
  readonly limit: number;
  /** The Content-Length, where there is one. */
  readonly declared?: number | undefined;
}

interface Share {
  readonly name: string;
  held: number;
  /** In the order in which they began. */
  readonly bodies: Set<Gathered>;
}

interface Gathered {
  readonly body: GrowingBody;
  giveUp(): void;
}

/**
 * Bodies while they come in, of all requests together within one bound (`BODIES_MB`). What arrives is counted, not what
 * is promised: who promises much and sends nothing takes nothing away. When the bound is reached, the share that holds
 * the most gives up its newest body, so that one workspace's bodies never keep another's out.
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

  /** @throws Refusal body-too-large, bodies-taken, bad-request when it breaks off */
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

  /** Counts what a body is about to grow by. False when it has to give up itself. */
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
