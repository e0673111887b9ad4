import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { ReadAllOptions } from '../../../ports/event-store.port.js';
import type { ReadResp } from './protocol.js';
import { isOurEvent, positionIn } from './recorded-event.js';
import type { StreamNames } from './stream-names.js';

export interface LogEnds {
  readonly end: number;
  readonly head: number;
}

export interface LogReading {
  readonly names: StreamNames;
  all(options: ReadAllOptions): Promise<readonly RecordedEvent[]>;
  latest(count: number): Promise<readonly ReadResp.ReadEvent[]>;
}

/**
 * Number of the log's latest events that are read first. They are expected to contain an event of this namespace,
 * unless other applications write much more.
 */
const few = 8;

/**
 * Finds the position of our last event. The server has no index for this and would search from the log's end on every
 * call, so this class remembers how far the log was searched.
 */
export class NamespaceHead {
  private seen: LogEnds = { end: -1, head: -1 };

  constructor(private readonly log: LogReading) {}

  async find(): Promise<LogEnds> {
    const { seen, log } = this;
    const latest = await log.latest(few);
    const positions = latest.map(positionIn);
    const end = positions[0] ?? -1;
    const newest = positions[latest.findIndex((event) => isOurEvent(event, log.names))];
    const isClosed = latest.length < few || positions.some((position) => position <= seen.end);
    const head = newest ?? (isClosed ? seen.head : await this.search(seen, end));
    return this.remember({ end: Math.max(end, head), head });
  }

  private async search(seen: LogEnds, end: number): Promise<number> {
    if (seen.end < 0) return (await this.log.all({ direction: 'backward', limit: 1 }))[0]?.position ?? -1;
    const since = await this.log.all({ from: seen.end, limit: Number.MAX_SAFE_INTEGER });
    return since.findLast(({ position }) => position <= end)?.position ?? seen.head;
  }

  /** A call that started later can finish first, so older ends do not replace newer ones. */
  private remember(ends: LogEnds): LogEnds {
    if (ends.end > this.seen.end) this.seen = ends;
    return ends;
  }
}
