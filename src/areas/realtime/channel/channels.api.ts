import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../engine/health/metrics.js';
import { RateLimit } from '../../../engine/quotas/rate-limit.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { Clock } from '../../../ports/clock.port.js';
import { refuse } from '../realtime.refusals.js';
import { Wire } from '../wire/wire.api.js';
import { type ChannelMessage, mustBeChannel, mustBeData } from './channel-message.api.js';

/** A message serialised once for all listeners. All of them share this object, so work for it can be cached. */
export interface Told {
  readonly text: string;
}

export interface PublishedMessage extends Pick<ChannelMessage, 'projectId' | 'from'> {
  readonly channel: unknown;
  readonly data: Json | undefined;
}

/**
 * Maximum number of deliveries per second in a process that the visitors of one site may cause, with bursts of five
 * seconds' worth. A message to a thousand listeners is a thousand deliveries.
 */
const deliveriesASecond = 50_000;

type Hear = (told: Told) => void;

/** The channels that have listeners in this process. Callers check the right to listen before. */
@Injectable()
export class Channels {
  private readonly open = new Map<string, Set<Hear>>();
  private listeners = 0;
  private readonly deliveries: RateLimit;

  constructor(
    private readonly wire: Wire,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.deliveries = new RateLimit({ burst: 5 * deliveriesASecond, fillMs: 5_000 }, clock);
    wire.on('message', (said) => this.tell(said as unknown as ChannelMessage));
    metrics.gauge('countersign_realtime_subscriptions', 'Subscriptions to channels.', [], async (gauge) => {
      gauge.set(this.listeners);
    });
  }

  /** Listens until the returned function is called. Calling that function again has no effect. */
  listen(projectId: string, channel: string, hear: Hear): () => void {
    const key = keyOf(projectId, channel);
    const hearers = this.open.get(key) ?? new Set();
    this.open.set(key, hearers.add(hear));
    this.listeners += 1;
    return () => {
      if (!hearers.delete(hear)) return;
      this.listeners -= 1;
      if (hearers.size === 0 && this.open.get(key) === hearers) this.open.delete(key);
    };
  }

  /**
   * Sends the message to all listeners in all processes. It is not recorded.
   * @throws Refusal channel-invalid, realtime-data-missing, realtime-data-too-large, realtime-away
   */
  async publish({ channel, data, ...more }: PublishedMessage): Promise<void> {
    const at = new Date(this.clock.now()).toISOString();
    const message: ChannelMessage = { ...more, channel: mustBeChannel(channel), data: mustBeData(data), at };
    await this.wire.say('message', message as unknown as JsonObject);
  }

  /**
   * Call before a visitor publishes.
   * @throws Refusal channel-rate
   */
  mustHaveRoom(projectId: string, channel: string): void {
    const cost = Math.max(1, this.open.get(keyOf(projectId, channel))?.size ?? 0);
    const waitMs = this.deliveries.consume(projectId, cost);
    if (waitMs > 0) refuse('channel-rate', undefined, { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
  }

  private tell({ projectId, channel, data, from, at }: ChannelMessage): void {
    const hearers = this.open.get(keyOf(projectId, channel));
    if (hearers === undefined) return;
    const told: Told = { text: JSON.stringify({ type: 'message', channel, data, from, at }) };
    for (const hear of hearers) hear(told);
  }
}

/** Names of channels have no spaces. */
const keyOf = (projectId: string, channel: string) => `${projectId} ${channel}`;
