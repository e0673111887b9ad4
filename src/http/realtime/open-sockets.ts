import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { SiteVisitor } from '../../areas/app-users/site-pass/site-passes.api.js';
import { Environment } from '../../config/environment.js';
import { Metrics } from '../../engine/health/metrics.js';
import { Clock } from '../../ports/clock.port.js';
import { refuse } from '../http.refusals.js';
import type { RealtimeSocket, SocketTools } from './realtime-socket.js';

/** Interval, in milliseconds, at which all open sockets are checked. */
const lookEveryMs = 5_000;
const mostOfVisitor = 20;
/** Time in milliseconds that clients have to close their connections when the process stops. */
const lastWordsMs = 1_000;

interface Comer {
  readonly projectId: string;
  readonly address: string;
  readonly visitor: SiteVisitor;
}

/**
 * Limits the sockets of each site, address and visitor, and of the whole process, so that connections remain for other
 * callers.
 */
@Injectable()
export class OpenSockets implements BeforeApplicationShutdown {
  private readonly open = new Set<RealtimeSocket>();
  private readonly shares = new Map<string, number>();
  private count = 0;
  private isLooking = false;
  private stopping = false;
  private readonly tools: SocketTools;

  constructor(
    private readonly environment: Environment,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.tools = { clock, counted: (what) => metrics.realtime(what), ended: (socket) => this.open.delete(socket) };
    metrics.gauge('countersign_realtime_sockets', 'Number of open WebSockets of visitors.', [], async (gauge) => {
      gauge.set(this.count);
    });
  }

  /**
   * `leave` may be called repeatedly.
   * @throws Refusal service-starting, sockets-taken, sockets-of-site, sockets-of-address, sockets-of-visitor
   */
  mustHaveRoom({ projectId, address, visitor: { user, guestId } }: Comer): { leave(): void } {
    const { sockets, socketsOfSite, socketsOfAddress } = this.environment.edge;
    if (this.stopping) refuse('service-starting', undefined, { retryAfterSeconds: 2 });
    if (this.count >= sockets) refuse('sockets-taken', undefined, { retryAfterSeconds: 30 });
    const visitorId = user?.id ?? guestId;
    const shares = [
      { key: projectId, most: socketsOfSite, code: 'sockets-of-site' },
      { key: `${projectId} ${address}`, most: socketsOfAddress, code: 'sockets-of-address' },
      ...(visitorId === undefined
        ? []
        : [{ key: `${projectId} / ${visitorId}`, most: mostOfVisitor, code: 'sockets-of-visitor' as const }]),
    ] as const;
    for (const { key, most, code } of shares) {
      if ((this.shares.get(key) ?? 0) >= most) refuse(code, undefined, { retryAfterSeconds: 30 });
    }
    this.count += 1;
    for (const { key } of shares) this.shares.set(key, (this.shares.get(key) ?? 0) + 1);
    let isLeft = false;
    return {
      leave: () => {
        if (isLeft) return;
        isLeft = true;
        this.count -= 1;
        for (const { key } of shares) {
          const left = (this.shares.get(key) ?? 1) - 1;
          if (left === 0) this.shares.delete(key);
          else this.shares.set(key, left);
        }
      },
    };
  }

  add(make: (tools: SocketTools) => RealtimeSocket): RealtimeSocket {
    const socket = make(this.tools);
    this.open.add(socket);
    if (this.stopping) socket.end('stopping');
    if (!this.isLooking) this.look();
    return socket;
  }

  /** Closes all sockets. The clients reconnect to another process or, after a restart, to this one. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    for (const socket of this.open) socket.end('stopping');
    if (this.open.size === 0) return;
    await new Promise<void>((resolve) => setTimeout(resolve, lastWordsMs).unref());
    for (const socket of this.open) socket.cutOff();
  }

  private look(): void {
    this.isLooking = true;
    this.clock.after(lookEveryMs, () => {
      const now = this.clock.now();
      for (const socket of this.open) socket.look(now);
      this.isLooking = false;
      if (this.open.size > 0) this.look();
    });
  }
}
