import { Injectable, Logger } from '@nestjs/common';
import { StoreRetry } from '../../../engine/cluster/store-retry.js';
import { Journal, type JournalEntry } from '../../../engine/journal/journal.js';
import type { EventMetadata } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Clock } from '../../../ports/clock.port.js';
import { Ids } from '../../../ports/ids.port.js';
import { type MailEvent, mailCategory } from './mail.record.js';

/** Pause before an outcome is written again. If the store is unavailable, StoreRetry determines the pause instead. */
const pauseMs = 30_000;

/** Appends entries without an expected revision, because entries are independent of each other. */
@Injectable()
export class MailJournal {
  private readonly log = new Logger('Mailboxes');

  constructor(
    private readonly journal: Journal,
    private readonly ids: Ids,
    private readonly clock: Clock,
    private readonly storeRetry: StoreRetry,
  ) {}

  /**
   * Resolves when the event is durable or the first write has failed. It does not reject, because the attempt to send
   * the mail is already over. A failed write is retried in the background as long as the process lives.
   */
  async write(by: EventMetadata, mailAccountId: string, event: MailEvent): Promise<void> {
    const entry: JournalEntry = {
      stream: streamOf(mailCategory, by.workspaceId, mailAccountId),
      by: { ...by, at: new Date(this.clock.now()).toISOString() },
      events: [{ ...event, once: this.ids.uuid() }],
    };
    try {
      await this.journal.append(entry);
    } catch {
      void this.retryInBackground(entry);
    }
  }

  private async retryInBackground(entry: JournalEntry): Promise<void> {
    for (;;) {
      try {
        await this.storeRetry.untilAvailable(() => this.journal.append(entry));
        return;
      } catch (error) {
        this.log.warn(`The outcome of a mail could not be recorded yet and will be retried: ${reasonOf(error)}`);
        await new Promise<void>((resolve) => this.clock.after(pauseMs, resolve));
      }
    }
  }
}
