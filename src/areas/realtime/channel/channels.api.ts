import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../engine/health/metrics.js';
import { RateLimit } from '../../../engine/quotas/rate-limit.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { Clock } from '../../../ports/clock.port.js';
import { refuse } from '../realtime.refusals.js';
import { Wire } from '../wire/wire.api.js';
import { type ChannelMessage, mustBeChannel, mustBeData } from './channel-message.api.js';

/** All listeners receive the same object, so results derived from it can be cached. */
export interface SerialisedMessage {
  readonly text: string;
}

export interface PublishedMessage extends Pick<ChannelMessage, 'projectId' | 'from'> {
  readonly channel: unknown;
  readonly data: Json | undefined;
}

/**
 * Deliveries per second that visitors of one site may cause in each process. A message to a thousand listeners is a
 * thousand deliveries. A burst may use the deliveries of five seconds at once.
 */
const deliveriesASecond = 50_000;

type Listener = (message: SerialisedMessage) => void;

/** Callers must check the right to listen. */
@Injectable()
export class Channels {
  private readonly open = new Map<string, Set<Listener>>();
  private listenerCount = 0;
  private readonly deliveries: RateLimit;

  constructor(
    private readonly wire: Wire,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.deliveries = new RateLimit({ burst: 5 * deliveriesASecond, fillMs: 5_000 }, clock);
    wire.on('message', (message) => this.deliver(message as unknown as ChannelMessage));
    metrics.gauge('countersign_realtime_subscriptions', 'Number of subscriptions to channels.', [], async (gauge) => {
      gauge.set(this.listenerCount);
    });
  }

  /** The returned function ends the listening and has no effect when called again. */
  listen(projectId: string, channel: string, listener: Listener): () => void {
    const key = keyOf(projectId, channel);
    const listeners = this.open.get(key) ?? new Set();
    this.open.set(key, listeners.add(listener));
    this.listenerCount += 1;
    return () => {
      if (!listeners.delete(listener)) return;
      this.listenerCount -= 1;
      if (listeners.size === 0 && this.open.get(key) === listeners) this.open.delete(key);
    };
  }

  /**
   * Sends a message to all listeners in all processes. Messages are not recorded.
   * @throws Refusal channel-invalid, realtime-data-missing, realtime-data-too-large, realtime-away
   */
  async publish({ channel, data, ...more }: PublishedMessage): Promise<void> {
    const at = new Date(this.clock.now()).toISOString();
    const message: ChannelMessage = { ...more, channel: mustBeChannel(channel), data: mustBeData(data), at };
    await this.wire.publish('message', message as unknown as JsonObject);
  }

  /**
   * Must be called before a visitor publishes.
   * @throws Refusal channel-rate
   */
  mustHaveRoom(projectId: string, channel: string): void {
    const cost = Math.max(1, this.open.get(keyOf(projectId, channel))?.size ?? 0);
    const waitMs = this.deliveries.consume(projectId, cost);
    if (waitMs > 0) refuse('channel-rate', undefined, { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
  }

  private deliver({ projectId, channel, data, from, at }: ChannelMessage): void {
    const listeners = this.open.get(keyOf(projectId, channel));
    if (listeners === undefined) return;
    const message: SerialisedMessage = { text: JSON.stringify({ type: 'message', channel, data, from, at }) };
    for (const listener of listeners) listener(message);
  }
}

/** Unique, because names of channels contain no spaces. */
const keyOf = (projectId: string, channel: string) => `${projectId} ${channel}`;
