import { Injectable, Logger } from '@nestjs/common';
import { Outages } from '../../../engine/outages.js';
import { Watermark } from '../../../engine/watermark.js';
import type { EventMetadata, NewEvent } from '../../../kernel/event.js';
import { reasonOf } from '../../../kernel/reason.js';
import { streamOf } from '../../../kernel/stream-name.js';
import { Clock } from '../../../ports/clock.port.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { Ids } from '../../../ports/ids.port.js';
import { type MailEvent, mailCategory } from './mail.record.js';

/** Between two tries to record an outcome, when what prevents it is not a store that is away. */
const pauseMs = 30_000;

/** Records the outcomes of mails. Writers do not compete: each outcome is appended at any revision. */
@Injectable()
export class MailJournal {
  private readonly log = new Logger('Mailboxes');

  constructor(
    private readonly events: EventStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly watermark: Watermark,
    private readonly outages: Outages,
  ) {}

  /**
   * Durable when it resolves, if the log can be written. If it cannot, the mail has been sent anyway: the sender is
   * answered, and the write is retried for as long as the process lives.
   */
  async write(by: EventMetadata, mailAccountId: string, event: MailEvent): Promise<void> {
    const stream = streamOf(mailCategory, by.workspaceId, mailAccountId);
    const metadata = { ...by, at: new Date(this.clock.now()).toISOString() };
    const recorded = { ...event, id: this.ids.uuid(), metadata };
    try {
      await this.append(stream, recorded);
    } catch {
      void this.keepTrying(stream, recorded);
    }
  }

  private async append(stream: string, event: NewEvent): Promise<void> {
    const [appended] = await this.events.append([{ stream, expected: 'any', events: [event] }]);
    if (appended) this.watermark.appended(appended.position, [{ stream, type: event.type }]);
  }

  private async keepTrying(stream: string, event: NewEvent): Promise<void> {
    for (;;) {
      try {
        return await this.outages.lasting(() => this.append(stream, event));
      } catch (error) {
        this.log.warn(`What became of a mail is not recorded yet and is tried again: ${reasonOf(error)}`);
        await new Promise<void>((resolve) => this.clock.after(pauseMs, resolve));
      }
    }
  }
}
