import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { Metrics } from '../../engine/health/metrics.js';
import { type Refusal } from '../../kernel/refusals/refusal.js';
import { refusalOf } from '../http.refusals.js';
import type { BodyShare } from './door.js';
import { GrowingBody } from './growing-body.js';

export interface BodyTerms {
  readonly share: BodyShare;
  /** The largest allowed size in bytes. */
  readonly limit: number;
  /** The Content-Length, if there is one. */
  readonly declared?: number | undefined;
}

interface Share extends BodyShare {
  held: number;
  /** In the order they began. */
  readonly bodies: Set<Gathered>;
}

interface Gathered {
  readonly body: GrowingBody;
  giveUp(): void;
}

/** Memory that some senders have together. */
interface Pool {
  readonly of: readonly BodyShare['of'][];
  /** In bytes. */
  readonly limit: number;
  held: number;
}

/**
 * Reads bodies, all together within one memory limit (`BODIES_MB`). What has arrived is counted, not the Content-Length:
 * a client that announces much and sends nothing uses nothing. When the limit is reached, the share that uses the most
 * loses its newest body, so that one workspace can never keep another's bodies out. Visitors of sites have a quarter of
 * the memory at most, and together with all others without a key three quarters: the rest is left to callers with a key.
 */
@Injectable()
export class BodyGathering {
  private readonly shares = new Map<string, Share>();
  private readonly everybody: Pool;
  /** From the narrowest on. */
  private readonly pools: readonly Pool[];

  constructor({ edge }: Environment, metrics: Metrics) {
    const pool = (limit: number, of: Pool['of']): Pool => ({ of, limit, held: 0 });
    this.everybody = pool(edge.bodyBytes, ['visitor', 'stranger', 'caller']);
    this.pools = [
      pool(edge.bodyBytes / 4, ['visitor']),
      pool((edge.bodyBytes * 3) / 4, ['visitor', 'stranger']),
      this.everybody,
    ];
    metrics.gauge('countersign_body_bytes', 'Bytes of bodies that are coming in.', [], async (gauge) => {
      gauge.set(this.everybody.held);
    });
  }

  /** @throws Refusal body-too-large, bodies-taken; bad-request when the connection breaks */
  gather(source: Readable, { share: of, limit, declared }: BodyTerms): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const share = this.shareOf(of);
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
    if (!this.poolsOf(share).every((pool) => this.makeRoomIn(pool, share, more))) return false;
    this.count(share, more);
    return true;
  }

  private makeRoomIn(pool: Pool, share: Share, more: number): boolean {
    while (more > 0 && pool.held + more > pool.limit) {
      const most = this.largestOf(pool);
      if (most === undefined || most.held <= share.held + more) return false;
      const newest = [...most.bodies].findLast(({ body }) => body.room > 0);
      if (newest === undefined) return false;
      newest.giveUp();
    }
    return true;
  }

  private largestOf({ of }: Pool): Share | undefined {
    let most: Share | undefined;
    for (const share of this.shares.values()) {
      if (of.includes(share.of) && share.held > (most?.held ?? 0)) most = share;
    }
    return most;
  }

  private poolsOf(share: Share): readonly Pool[] {
    return this.pools.filter(({ of }) => of.includes(share.of));
  }

  private count(share: Share, bytes: number): void {
    share.held += bytes;
    for (const pool of this.poolsOf(share)) pool.held += bytes;
  }

  private shareOf(of: BodyShare): Share {
    const key = keyOf(of);
    const share = this.shares.get(key) ?? { ...of, held: 0, bodies: new Set() };
    this.shares.set(key, share);
    return share;
  }

  private leave(share: Share, one: Gathered): void {
    if (!share.bodies.delete(one)) return;
    this.count(share, -one.body.room);
    if (share.bodies.size === 0) this.shares.delete(keyOf(share));
  }
}

const keyOf = ({ of, name }: BodyShare): string => `${of} ${name}`;
