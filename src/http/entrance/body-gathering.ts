import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { Metrics } from '../../engine/health/metrics.js';
import { GrowingBody } from '../../kernel/growing-body.js';
import { type Refusal } from '../../kernel/refusals/refusal.js';
import { refusalOf } from '../http.refusals.js';
import type { BodyShare } from './door.js';

export interface BodyTerms {
  readonly share: BodyShare;
  readonly limit: number;
  readonly declared?: number | undefined;
}

interface Share extends BodyShare {
  bytes: number;
  /** Unfinished bodies, oldest first. */
  readonly bodies: Set<Gathered>;
}

interface Gathered {
  readonly body: GrowingBody;
  giveUp(): void;
}

interface Pool {
  readonly of: readonly BodyShare['of'][];
  readonly limit: number;
  bytes: number;
}

/**
 * Reads bodies into memory, within one limit for all of them (`BODIES_MB`). Only received bytes count, so a
 * Content-Length alone reserves nothing. At the limit, the sender that uses the most memory loses a body, so one
 * workspace cannot block the others. A quarter of the memory is left to callers with a key or page session.
 */
@Injectable()
export class BodyGathering {
  private readonly shares = new Map<string, Share>();
  private readonly everybody: Pool;
  /** Ordered from the smallest to the largest. A body counts in all pools that include its sender. */
  private readonly pools: readonly Pool[];

  constructor({ edge }: Environment, metrics: Metrics) {
    const pool = (limit: number, of: Pool['of']): Pool => ({ of, limit, bytes: 0 });
    this.everybody = pool(edge.bodyBytes, ['visitor', 'stranger', 'caller']);
    this.pools = [
      pool(edge.bodyBytes / 4, ['visitor']),
      pool((edge.bodyBytes * 3) / 4, ['visitor', 'stranger']),
      this.everybody,
    ];
    metrics.gauge('countersign_body_bytes', 'Bytes of request bodies being received.', [], async (gauge) => {
      gauge.set(this.everybody.bytes);
    });
  }

  /** @throws Refusal body-too-large, bodies-taken; bad-request if the connection breaks */
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

  /** If this returns false, the caller must drop the body. */
  private makeRoom(share: Share, more: number): boolean {
    if (!this.poolsOf(share).every((pool) => this.makeRoomIn(pool, share, more))) return false;
    this.count(share, more);
    return true;
  }

  private makeRoomIn(pool: Pool, share: Share, more: number): boolean {
    while (more > 0 && pool.bytes + more > pool.limit) {
      const most = this.largestOf(pool);
      if (most === undefined || most.bytes <= share.bytes + more) return false;
      const newest = [...most.bodies].findLast(({ body }) => body.room > 0);
      if (newest === undefined) return false;
      newest.giveUp();
    }
    return true;
  }

  private largestOf({ of }: Pool): Share | undefined {
    let most: Share | undefined;
    for (const share of this.shares.values()) {
      if (of.includes(share.of) && share.bytes > (most?.bytes ?? 0)) most = share;
    }
    return most;
  }

  private poolsOf(share: Share): readonly Pool[] {
    return this.pools.filter(({ of }) => of.includes(share.of));
  }

  private count(share: Share, bytes: number): void {
    share.bytes += bytes;
    for (const pool of this.poolsOf(share)) pool.bytes += bytes;
  }

  private shareOf(of: BodyShare): Share {
    const key = keyOf(of);
    const share = this.shares.get(key) ?? { ...of, bytes: 0, bodies: new Set() };
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
