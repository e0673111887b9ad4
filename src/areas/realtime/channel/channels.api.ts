import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../engine/health/metrics.js';
import { RateLimit } from '../../../engine/quotas/rate-limit.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { Clock } from '../../../ports/clock.port.js';
import { refuse } from '../realtime.refusals.js';
import { Wire } from '../wire/wire.api.js';
import { type ChannelMessage, mustBeChannel, mustBeData } from './channel-message.api.js';

/** One text for all who hear it: what sending it takes is worked out once. */
export interface Told {
  readonly text: string;
}

/** A message as sent. */
export interface Published extends Pick<ChannelMessage, 'projectId' | 'from'> {
  readonly channel: unknown;
  readonly data: Json | undefined;
}

/**
 * So many deliveries in a process may the visitors of one site cause within a second, with bursts of five seconds' worth: a
 * message to a thousand listeners is a thousand.
 */
const deliveriesASecond = 50_000;

type Hear = (told: Told) => void;

/** The channels that somebody listens to in this process. Who may is judged before. */
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

  /** Until what it answers is called, which may be repeated. */
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
   * To all who listen, in all processes. Nothing of it is recorded.
   * @throws Refusal channel-invalid, realtime-data-missing, realtime-data-too-large, realtime-away
   */
  async publish({ channel, data, ...more }: Published): Promise<void> {
    const at = new Date(this.clock.now()).toISOString();
    const message: ChannelMessage = { ...more, channel: mustBeChannel(channel), data: mustBeData(data), at };
    await this.wire.say('message', message as unknown as JsonObject);
  }

  /** Before a visitor publishes. @throws Refusal channel-rate */
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
