import { Injectable } from '@nestjs/common';
import { type Worker, WorkerSource } from '../engine/cluster/worker.js';
import { EventFeeds } from '../engine/messages/event-feed.js';
import { Messages } from '../ports/messages.port.js';

const feeds = [
  { name: 'events', topic: 'events' },
  { name: 'pending-changes', topic: 'pending-changes', filter: { categories: ['pendingChange'] } },
] as const;

/** Publishes recorded events on topics of the message broker. Does nothing if messages are only in memory. */
@Injectable()
export class OutsideFeeds extends WorkerSource {
  constructor(
    private readonly feeds: EventFeeds,
    private readonly messages: Messages,
  ) {
    super();
  }

  override workers(lost: (worker: string) => void): readonly Worker[] {
    if (!this.messages.durable) return [];
    return feeds.map((feed) => ({ ...this.feeds.duty(feed, lost), kind: 'feed' }));
  }
}
