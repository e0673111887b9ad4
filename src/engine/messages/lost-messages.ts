import { Injectable, Logger } from '@nestjs/common';
import { reasonOf } from '../../kernel/reason.js';
import { EventStore } from '../../ports/event-store.port.js';
import { Messages } from '../../ports/messages.port.js';
import { Outages } from '../cluster/outages.js';
import { Watermark } from '../read-models/watermark.js';

/** Messages that processes have in memory alone are lost with them. The read models tell what was lost. */
@Injectable()
export class LostMessages {
  private readonly log = new Logger('Messages');

  constructor(
    private readonly messages: Messages,
    private readonly events: EventStore,
    private readonly watermark: Watermark,
    private readonly outages: Outages,
  ) {}

  /**
   * For a process that takes over: `publishAll` publishes what the read model shows to be waiting. It is done at once and,
   * in the background, once more when the read model shows all that is recorded by now, because whoever kept that up to date
   * may have died as well.
   */
  async publishAgain(projection: string, publishAll: () => Promise<void>, stopping: AbortSignal): Promise<void> {
    if (this.messages.durable) return;
    const recorded = await this.events.head();
    await publishAll();
    this.outages
      .lasting(() => this.onceShown(recorded, projection, publishAll, stopping), stopping)
      .catch((error: unknown) => {
        if (!stopping.aborted)
          this.log.warn(
            `Messages lost with another process could not be looked up in ${projection}; restart this process to look again: ${reasonOf(error)}`,
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
      this.watermark.happened(recorded, [projection]);
      await this.watermark.current(projection);
      if (!stopping.aborted && this.watermark.isCurrent(projection)) return publishAll();
    }
  }
}
