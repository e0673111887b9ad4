import { Injectable, Logger } from '@nestjs/common';
import { throttledLog } from '../../kernel/throttled-log.js';
import { EventStore } from '../../ports/event-store.port.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';

/**
 * After an older backup of the log was restored, brokers can still have messages with positions beyond the end of the
 * log. The log may never reach these positions, so no work may wait for them.
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

  /**
   * Returns whether the log has reached the position. Queries the log only if this does not follow from an earlier
   * query or from the read model's position.
   */
  async has(position: number, projection: string): Promise<boolean> {
    if (position <= Math.max(this.known, this.readYourWrites.taken(projection))) return true;
    // The request in progress may have begun before this position was recorded, so its result may be too low.
    await this.asking;
    if (position <= this.known) return true;
    this.asking ??= this.ask();
    await this.asking;
    return position <= this.known;
  }

  /** If the result is false, logs at most once a minute that a message is skipped. */
  async holds(topic: string, position: number, projection: string): Promise<boolean> {
    const isThere = await this.has(position, projection);
    if (!isThere)
      this.warn(
        `${topic} has messages with positions beyond the end of the log, probably of a former log; they are skipped.`,
      );
    return isThere;
  }

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
