import { Injectable, Logger } from '@nestjs/common';
import type { RecordedEvent } from '../../kernel/event/event.js';
import { parseStream } from '../../kernel/event/stream-name.js';
import { isReadable } from '../../kernel/event/unreadable-event.js';
import { reasonOf } from '../../kernel/reason.js';
import { recordKind } from '../../kernel/record/record.js';
import { EventPublisher } from '../../ports/event-publisher.port.js';
import { type EventFilter, RecordedLog, type Subscription } from '../../ports/event-store.port.js';
import { type Build, CheckpointMoved, ReadStore } from '../../ports/read-store.port.js';
import type { Duty } from '../cluster/lease-keeper.js';
import { StoppableStart } from '../cluster/stoppable-start.js';
import { StoreRetry } from '../cluster/store-retry.js';
import { RecordTexts } from '../commands/record-texts.js';
import { Metrics } from '../health/metrics.js';
import { haltSentence, NewerVersionNeeded, UnderstoodLog } from '../read-models/understood-log.js';

export interface Feed {
  /** In kebab case. The feed's checkpoint has the same name. */
  readonly name: string;
  readonly topic: string;
  readonly filter?: EventFilter;
}

const mostBatchesUnwritten = 500;

/**
 * Every readable event is published at least once, and the events of a stream in order. The checkpoint advances after
 * the publisher's acknowledgement, so a crash repeats events but loses none.
 */
@Injectable()
export class EventFeeds {
  private readonly log = new Logger('Feeds');
  private readonly running = new Map<string, Subscription>();

  constructor(
    private readonly events: RecordedLog,
    private readonly store: ReadStore,
    private readonly publisher: EventPublisher,
    private readonly texts: RecordTexts,
    private readonly storeRetry: StoreRetry,
    metrics: Metrics,
  ) {
    metrics.gauge(
      'countersign_feed_lag_events',
      'Positions by which a feed that this process publishes is behind the log: events with the embedded store, bytes with EventStoreDB.',
      ['feed'],
      async (gauge) => {
        gauge.reset();
        const head = await events.head().catch(() => undefined);
        for (const [feed, { position }] of this.running) {
          if (head !== undefined) gauge.set({ feed }, Math.max(0, head - position));
        }
      },
    );
  }

  /** `lost` is called if another process also publishes this feed and is ahead. */
  duty(feed: Feed, lost: (duty: string) => void): Duty {
    const name = `feed/${feed.name}`;
    const starting = new StoppableStart();
    return {
      name,
      start: () => starting.begin((stopping) => this.follow(feed, () => lost(name), stopping)),
      stop: async () => {
        await starting.stop();
        const subscription = this.running.get(feed.name);
        this.running.delete(feed.name);
        await subscription?.stop();
      },
    };
  }

  private whole(events: readonly RecordedEvent[]): Promise<readonly RecordedEvent[]> {
    return Promise.all(
      events.map(async (event) => {
        const { category, workspaceId } = parseStream(event.stream);
        return { ...event, data: await this.texts.whole(recordKind(category) ?? {}, workspaceId, event.data) };
      }),
    );
  }

  /** Drops unreadable events, because they cannot be published. */
  private readable(feed: string, events: readonly RecordedEvent[]): readonly RecordedEvent[] {
    return events.filter((event) => {
      if (isReadable(event)) return true;
      const { type, stream, position } = event;
      this.log.error(`${feed} skips ${type} of ${stream} at ${position}, because it cannot be read.`);
      return false;
    });
  }

  private async follow({ name, topic, filter }: Feed, lost: () => void, stopping: AbortSignal): Promise<void> {
    const build: Build = { projection: `feed:${name}`, generation: 'live' };
    let checkpoint = await this.store.checkpoint(build);
    if (stopping.aborted) return;
    let unwritten = 0;
    const publish = async (batch: readonly RecordedEvent[], caughtUpTo: number) => {
      const fresh = this.readable(
        name,
        batch.filter(({ position }) => position > checkpoint),
      );
      unwritten += 1;
      if (fresh.length === 0 && unwritten < mostBatchesUnwritten) return;
      if (fresh.length > 0) await this.publisher.publish(topic, await this.whole(fresh));
      const written = this.store.commit(build, checkpoint, caughtUpTo, []);
      this.store.flushSoon();
      await written;
      checkpoint = caughtUpTo;
      unwritten = 0;
    };
    // Stops before an event that this version does not know and must not skip. Without the event's declaration, its
    // personal fields and large texts cannot be found.
    const subscription = new UnderstoodLog(this.events).subscribe({
      ...filter,
      after: checkpoint,
      stopped: (why) => {
        if (why instanceof NewerVersionNeeded) this.log.error(haltSentence(`The feed ${name}`, why));
      },
      handle: (batch, caughtUpTo) =>
        this.storeRetry
          .untilAvailable(() => publish(batch, caughtUpTo), stopping)
          .catch((error: unknown) => {
            this.log.warn(`${name} will publish again from ${checkpoint}: ${reasonOf(error)}`);
            if (error instanceof CheckpointMoved) lost();
            throw error;
          }),
    });
    this.running.set(name, subscription);
  }
}
