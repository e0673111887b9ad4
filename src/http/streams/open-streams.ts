import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { Metrics } from '../../engine/health/metrics.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { refuse } from '../http.refusals.js';
import type { EventStream } from './event-stream.js';

@Injectable()
export class OpenStreams implements BeforeApplicationShutdown {
  private readonly open = new Map<EventStream, Caller>();
  private stopping = false;

  constructor(
    private readonly environment: Environment,
    metrics: Metrics,
  ) {
    metrics.gauge('countersign_event_streams', 'Number of open event streams.', [], async (gauge) => {
      gauge.set(this.open.size);
    });
  }

  /** Ends all streams. The clients reconnect to another process, with the id of the last event. */
  beforeApplicationShutdown(): void {
    this.stopping = true;
    for (const stream of this.open.keys()) stream.end();
  }

  /**
   * A workspace can open a stream only while it has fewer open streams than are still free, so other workspaces always
   * find room. One caller may have a twentieth of all streams, but at least two.
   * @throws Refusal if no further stream is allowed
   */
  mustHaveRoom(caller: Caller): void {
    const { eventStreams } = this.environment;
    if (this.stopping) refuse('service-starting', undefined, { retryAfterSeconds: 2 });
    const free = eventStreams - this.open.size;
    if (free <= 0) refuse('event-streams-taken', undefined, { retryAfterSeconds: 30 });
    const workspace = [...this.open.values()].filter(({ workspaceId }) => workspaceId === caller.workspaceId);
    if (workspace.length >= free) refuse('event-streams-of-workspace', undefined, { retryAfterSeconds: 30 });
    const own = workspace.filter(({ kind, id }) => kind === caller.kind && id === caller.id);
    if (own.length >= Math.max(2, Math.ceil(eventStreams / 20))) {
      refuse('event-streams-of-caller', undefined, { retryAfterSeconds: 30 });
    }
  }

  /** Does nothing if the client has already left. */
  add(stream: EventStream, caller: Caller): void {
    if (stream.closed.aborted) return;
    this.open.set(stream, caller);
    stream.closed.addEventListener('abort', () => this.open.delete(stream), { once: true });
  }
}
