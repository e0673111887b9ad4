import { Injectable, Logger } from '@nestjs/common';
import { throttledLog } from '../../kernel/throttled-log.js';
import { EventStore } from '../../ports/event-store.port.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';

/**
 * Tracks the position of the log's last event. After a backup is restored, brokers may still have messages published
 * after it was made. No work may wait for the positions in such messages.
 */
@Injectable()
export class LogHead {
  private readonly warn = throttledLog((sentence) => new Logger('Messages').warn(sentence));
  private known = -1;
  private asking: Promise<void> | undefined;

  constructor(
    private readonly events: EventStore,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  /** Whether the log has reached this position. Does not query the log if a read model is known to have reached it. */
  async has(position: number, projection: string): Promise<boolean> {
    if (position <= Math.max(this.known, this.readYourWrites.taken(projection))) return true;
    // A request that began before this position was recorded may return an older position.
    await this.asking;
    if (position <= this.known) return true;
    this.asking ??= this.ask();
    await this.asking;
    return position <= this.known;
  }

  /** Like `has`, but logs, at most once a minute, that messages are skipped. */
  async holds(topic: string, position: number, projection: string): Promise<boolean> {
    const isThere = await this.has(position, projection);
    if (!isThere) this.warn(`${topic} has messages from beyond the end of the log, of a log that was; passed over.`);
    return isThere;
  }

  /** Returns the last of these positions that the log has reached, or -1 if it has reached none. */
  async lastOf(positions: readonly number[], projection: string): Promise<number> {
    let last = -1;
    for (const position of positions) if (position > last && (await this.has(position, projection))) last = position;
    return last;
  }

  private async ask(): Promise<void> {
    try {
      this.known = Math.max(this.known, await this.events.head());
    } finally {
      this.asking = undefined;
    }
  }
}
