import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { ReadAllOptions } from '../../../ports/event-store.port.js';
import type { ReadResp } from './protocol.js';
import { isOurs, positionIn } from './recorded-event.js';
import type { StreamNames } from './stream-names.js';

export interface LogEnds {
  /** Position of the last event of anybody. */
  readonly end: number;
  /** Position of the last event of ours. */
  readonly head: number;
}

export interface LogReading {
  readonly names: StreamNames;
  all(options: ReadAllOptions): Promise<readonly RecordedEvent[]>;
  /** The last events of anybody, the newest first. */
  latest(count: number): Promise<readonly ReadResp.ReadEvent[]>;
}

/** Among so many of the last events there is one of ours, unless others write much more. */
const few = 8;

/**
 * Finds the last event of ours among those of others. The server has no index for that: it would search the log from its
 * end on every call, so this remembers how far the log was searched before.
 */
export class NamespaceHead {
  private seen: LogEnds = { end: -1, head: -1 };

  constructor(private readonly log: LogReading) {}

  async find(): Promise<LogEnds> {
    const { seen, log } = this;
    const latest = await log.latest(few);
    const places = latest.map(positionIn);
    const end = places[0] ?? -1;
    const newest = places[latest.findIndex((event) => isOurs(event, log.names))];
    const isClosed = latest.length < few || places.some((place) => place <= seen.end);
    const head = newest ?? (isClosed ? seen.head : await this.search(seen, end));
    return this.remember({ end: Math.max(end, head), head });
  }

  private async search(seen: LogEnds, end: number): Promise<number> {
    if (seen.end < 0) return (await this.log.all({ direction: 'backward', limit: 1 }))[0]?.position ?? -1;
    const since = await this.log.all({ from: seen.end, limit: Number.MAX_SAFE_INTEGER });
    return since.findLast(({ position }) => position <= end)?.position ?? seen.head;
  }

  /** Another call may have looked later and be back sooner. */
  private remember(ends: LogEnds): LogEnds {
    if (ends.end > this.seen.end) this.seen = ends;
    return ends;
  }
}
