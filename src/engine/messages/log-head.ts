import { Injectable, Logger } from '@nestjs/common';
import { throttledLog } from '../../kernel/throttled-log.js';
import { EventStore } from '../../ports/event-store.port.js';
import { Watermark } from '../read-models/watermark.js';

/**
 * How far the log goes. After a restored backup the brokers may still have messages that were published after it was made:
 * nobody may wait for the positions that they name.
 */
@Injectable()
export class LogHead {
  private readonly warn = throttledLog((sentence) => new Logger('Messages').warn(sentence));
  private known = -1;
  private asking: Promise<void> | undefined;

  constructor(
    private readonly events: EventStore,
    private readonly watermark: Watermark,
  ) {}

  /** Whether the log has come to this position. It is not asked where a read model is known to have come there. */
  async has(position: number, projection: string): Promise<boolean> {
    if (position <= Math.max(this.known, this.watermark.taken(projection))) return true;
    // One who asked before this was recorded may get an answer without it.
    await this.asking;
    if (position <= this.known) return true;
    this.asking ??= this.ask();
    await this.asking;
    return position <= this.known;
  }

  /** As `has`; says in the log of the service, once a minute, that such messages are passed over. */
  async holds(topic: string, position: number, projection: string): Promise<boolean> {
    const isThere = await this.has(position, projection);
    if (!isThere) this.warn(`${topic} has messages from beyond the end of the log, of a log that was; passed over.`);
    return isThere;
  }

  /** The last of these positions that the log has come to; -1: none. */
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
