import { Injectable, Logger } from '@nestjs/common';
import { Watermark } from '../../../engine/watermark.js';
import type { EventMetadata, NewEvent } from '../../../kernel/event.js';
import { reasonOf } from '../../../kernel/reason.js';
import { streamOf } from '../../../kernel/stream-name.js';
import { Clock } from '../../../ports/clock.port.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { Ids } from '../../../ports/ids.port.js';
import { type MailEvent, mailCategory } from './mail.record.js';

/** Records the outcomes of mails. Writers do not compete: each outcome is appended at any revision. */
@Injectable()
export class MailJournal {
  private readonly log = new Logger('Mailboxes');

  constructor(
    private readonly events: EventStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly watermark: Watermark,
  ) {}

  /**
   * Durable when it resolves, if the log can be written. If it cannot, the mail has been sent anyway: the sender is
   * answered, and the write is retried for as long as the process lives.
   */
  async write(by: EventMetadata, mailAccountId: string, event: MailEvent): Promise<void> {
    const stream = streamOf(mailCategory, by.workspaceId, mailAccountId);
    const metadata = { ...by, at: new Date(this.clock.now()).toISOString() };
    await this.tryToWrite(stream, { ...event, id: this.ids.uuid(), metadata }, 1_000);
  }

  private async tryToWrite(stream: string, event: NewEvent, delayMs: number): Promise<void> {
    try {
      const [appended] = await this.events.append([{ stream, expected: 'any', events: [event] }]);
      if (appended) this.watermark.appended(appended.position, [{ stream, type: event.type }]);
    } catch (error) {
      this.log.warn(`What became of a mail is not recorded yet, trying again in ${delayMs} ms: ${reasonOf(error)}`);
      this.clock.after(delayMs, () => void this.tryToWrite(stream, event, Math.min(delayMs * 2, 30_000)));
    }
  }
}
