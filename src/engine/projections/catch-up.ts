import { setImmediate as nextTurn } from 'node:timers/promises';
import { allSettled } from '../../kernel/all-settled.js';
import type { RecordedEvent } from '../../kernel/event/event.js';
import type { EventStore } from '../../ports/event-store.port.js';
import type { ReadStore } from '../../ports/read-store.port.js';
import { Readers } from '../read-models/read-models.js';
import type { ProjectionFeed } from './projection-feed.js';

const pageSize = 10_000;

/**
 * Reads the log once for all feeds, and stores their checkpoints. If one feed fails, the others are awaited too, because
 * no commit may be in progress after a stop.
 */
export async function catchUp(
  events: EventStore,
  store: ReadStore,
  feeds: readonly ProjectionFeed[],
  upTo: number,
): Promise<void> {
  const filter = feeds.length === 1 ? feeds[0]?.reading : undefined;
  const readers = new Readers(feeds, ({ reading }) => reading);
  for (let from = Math.min(...feeds.map(({ position }) => position)); from < upTo; ) {
    const page = await events.readAll({ ...filter, from, limit: pageSize });
    const reached = page.length === pageSize ? Math.min(page.at(-1)?.position ?? upTo, upTo) : upTo;
    const given = new Map(feeds.map((feed): [ProjectionFeed, RecordedEvent[]] => [feed, []]));
    for (const event of page) {
      if (event.position > reached) break;
      for (const feed of readers.of(event)) if (event.position > feed.position) given.get(feed)?.push(event);
    }
    const behind = feeds.filter((feed) => feed.position < reached);
    await allSettled(behind.map((feed) => feed.untilAvailable(() => feed.apply(given.get(feed) ?? [], reached))));
    from = reached;
    // The embedded store's thread can report only between two turns of the event loop. Until it does, the main thread
    // writes all documents itself.
    await nextTurn();
  }
  const settled = feeds.map((feed) => feed.untilAvailable(() => feed.settle(upTo)));
  store.flushSoon();
  await allSettled(settled);
}
