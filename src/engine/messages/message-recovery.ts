import { Injectable, Logger } from '@nestjs/common';
import { reasonOf } from '../../kernel/reason.js';
import { EventStore } from '../../ports/event-store.port.js';
import { Messages } from '../../ports/messages.port.js';
import { StoreRetry } from '../cluster/store-retry.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';

/** In-memory messages are lost with their process; the read models contain the work that the messages were for. */
@Injectable()
export class MessageRecovery {
  private readonly log = new Logger('Messages');

  constructor(
    private readonly messages: Messages,
    private readonly events: EventStore,
    private readonly readYourWrites: ReadYourWrites,
    private readonly storeRetry: StoreRetry,
  ) {}

  /**
   * Runs `publishAll` at once, and again in the background when the read model includes everything recorded so far. The
   * read model may lag behind, because the process that builds it may have died too. Does nothing if messages are
   * durable.
   */
  async publishAgain(projection: string, publishAll: () => Promise<void>, stopping: AbortSignal): Promise<void> {
    if (this.messages.durable) return;
    const recorded = await this.events.head();
    await publishAll();
    this.storeRetry
      .untilAvailable(() => this.onceShown(recorded, projection, publishAll, stopping), stopping)
      .catch((error: unknown) => {
        if (!stopping.aborted)
          this.log.warn(
            `Messages that were lost with another process could not be looked up in ${projection}; restart this process to try again: ${reasonOf(error)}`,
          );
      });
  }

  private async onceShown(
    recorded: number,
    projection: string,
    publishAll: () => Promise<void>,
    stopping: AbortSignal,
  ): Promise<void> {
    while (!stopping.aborted) {
      this.readYourWrites.observed(recorded, [projection]);
      await this.readYourWrites.current(projection);
      if (!stopping.aborted && this.readYourWrites.isCurrent(projection)) return publishAll();
    }
  }
}
