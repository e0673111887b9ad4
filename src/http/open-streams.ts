import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { Metrics } from '../engine/metrics.js';
import { refuse } from '../kernel/refusal.js';
import type { EventStream } from './event-stream.js';

/** The event streams that this process keeps open: not without bound, and none into its stop. */
@Injectable()
export class OpenStreams implements BeforeApplicationShutdown {
  private readonly open = new Map<EventStream, string>();
  private stopping = false;

  constructor(
    private readonly environment: Environment,
    metrics: Metrics,
  ) {
    metrics.gauge('countersign_event_streams', 'Event streams that are open.', [], async (gauge) => {
      gauge.set(this.open.size);
    });
  }

  /** Clients come again with the last id they have, to whichever process is there then. */
  beforeApplicationShutdown(): void {
    this.stopping = true;
    for (const stream of this.open.keys()) stream.end();
  }

  /** @throws Refusal when there is no room; one workspace never takes all there is. */
  mustHaveRoom(workspaceId: string): void {
    const { eventStreams } = this.environment;
    if (this.stopping) refuse('service-starting', undefined, { retryAfterSeconds: 2 });
    if (this.open.size >= eventStreams) refuse('event-streams-taken', undefined, { retryAfterSeconds: 30 });
    const own = [...this.open.values()].filter((other) => other === workspaceId).length;
    if (own >= Math.ceil(eventStreams / 2)) refuse('event-streams-of-workspace', undefined, { retryAfterSeconds: 30 });
  }

  /** Until it is closed. */
  add(stream: EventStream, workspaceId: string): void {
    this.open.set(stream, workspaceId);
    stream.closed.addEventListener('abort', () => this.open.delete(stream), { once: true });
  }
}
