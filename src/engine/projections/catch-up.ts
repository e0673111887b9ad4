import type { RecordedEvent } from '../../kernel/event/event.js';
import type { EventStore } from '../../ports/event-store.port.js';
import type { ReadStore } from '../../ports/read-store.port.js';
import { reads } from '../read-models/read-models.js';
import type { ProjectionFeed } from './projection-feed.js';

const pageSize = 10_000;

/** Has prepared feeds take in the log up to a position, and store that they did. The log is read once for all of them. */
export async function catchUp(
  events: EventStore,
  store: ReadStore,
  feeds: readonly ProjectionFeed[],
  upTo: number,
): Promise<void> {
  const filter = feeds.length === 1 ? feeds[0]?.reading : undefined;
  for (let from = Math.min(...feeds.map(({ position }) => position)); from < upTo; ) {
    const page = await events.readAll({ ...filter, from, limit: pageSize });
    const reached = page.length === pageSize ? Math.min(page.at(-1)?.position ?? upTo, upTo) : upTo;
    const taken = feeds
      .filter((feed) => feed.position < reached)
      .map((feed) => {
        const { position, reading } = feed;
        const isNew = (at: number) => at > position && at <= reached;
        const isRead = (event: RecordedEvent) => reading === undefined || reads(reading, event);
        const given = page.filter((event) => isNew(event.position) && isRead(event));
        return feed.lasting(() => feed.take(given, reached));
      });
    await Promise.all(taken);
    from = reached;
  }
  const settled = feeds.map((feed) => feed.lasting(() => feed.settle(upTo)));
  store.flushSoon();
  await Promise.all(settled);
}
