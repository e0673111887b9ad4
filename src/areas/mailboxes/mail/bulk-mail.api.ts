import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Clock } from '../../../ports/clock.port.js';
import { Mail } from '../../../ports/network/mail.port.js';
import { type MailAccount, mailAccounts, servesSite } from '../mail-account/mail-account.record.js';
import { countInHour, type Hour, msLeftInHour } from './mail.record.js';
import { MailJournal } from './mail-journal.js';
import { messageOf } from './mail-message.js';
import type { MailCause, RequestedMail } from './mail-request.api.js';
import { MailSender } from './mail-sender.js';
import { judgeMail } from './mail-validation.js';
import { takePlaces } from './quota-hour.js';
import { SendQuota } from './send-quota.js';

/** Part of a mailbox's hourly quota, reserved for the mails of a batch. */
export interface TakenPlaces {
  readonly size: number;
  readonly hour: Hour;
}

/** The outcome of the mails of a batch. */
export interface BatchOutcome {
  readonly batchId: string;
  readonly recipients: number;
  /** Number of mails that the server refused because of the mail or the recipient. */
  readonly refused: number;
  /** Why the rest of the batch was not sent; null if all of it was handled. */
  readonly failure: { readonly kind: string; readonly error: string } | null;
  /** Reserved quota of mails that were certainly not sent. */
  readonly unused: number;
}

/**
 * Sends many mails with one recipient each through one mailbox. Quota is reserved for a batch at a time, and the batch
 * is recorded like one mail. The hourly quota is shared with all other mail of the mailbox.
 */
@Injectable()
export class BulkMail {
  constructor(
    private readonly runner: CommandRunner,
    private readonly mail: Mail,
    private readonly sender: MailSender,
    private readonly places: SendQuota,
    private readonly journal: MailJournal,
    private readonly clock: Clock,
  ) {}

  /** Returns undefined if the mailbox was deleted or switched off, or does not serve the site any more. */
  async usable(workspaceId: string, mailAccountId: string, siteId: string): Promise<MailAccount | undefined> {
    const account = await this.runner.find(mailAccounts, workspaceId, mailAccountId);
    return account?.isActive && servesSite(account, siteId) ? account : undefined;
  }

  /**
   * Returns the remaining quota of the hour, in recipients, and the milliseconds until the hour ends.
   * @throws EventStoreUnavailable
   */
  async room(account: MailAccount, cause: MailCause): Promise<{ readonly places: number; readonly endsInMs: number }> {
    const by = this.sender.metadataOf(account.workspaceId, cause);
    const { hour } = await this.places.change(by, account.id, () => undefined);
    const now = this.clock.now();
    return { places: Math.max(0, account.hourlyLimit - countInHour(hour, now)), endsInMs: msLeftInHour(hour, now) };
  }

  /**
   * Reserves what is left of the quota, at most `wanted`. Resolves when the reservation is durable, to undefined if no
   * quota is left.
   * @throws EventStoreUnavailable
   */
  async take(account: MailAccount, wanted: number, cause: MailCause): Promise<TakenPlaces | undefined> {
    const by = this.sender.metadataOf(account.workspaceId, cause);
    const { event } = await this.places.change(by, account.id, (before) => {
      const now = this.clock.now();
      const size = Math.min(wanted, account.hourlyLimit - countInHour(before, now));
      const hour = size <= 0 ? undefined : takePlaces(before, size, account.hourlyLimit, now);
      return hour && { type: 'MailPlacesTaken', data: { size, hour } };
    });
    return event && { size: event.data.size, hour: event.data.hour };
  }

  /**
   * Sends one mail once. Its quota is already reserved.
   * @throws MailError; Refusal mail-… for what is wrong with the mail
   */
  async send(account: MailAccount, wanted: RequestedMail, key: string, unsubscribeUrl: string): Promise<void> {
    const message = messageOf(account, judgeMail(wanted), key);
    await this.mail.send(this.sender.serverOf(account), { ...message, unsubscribeUrl });
  }

  /** Returns unused quota and records the batch. Never rejects because of either. */
  async settle(account: MailAccount, taken: TakenPlaces, outcome: BatchOutcome, cause: MailCause): Promise<void> {
    const { batchId, recipients, refused, failure, unused } = outcome;
    const by = this.sender.metadataOf(account.workspaceId, cause);
    if (unused > 0) await this.sender.giveBack(account, taken.hour, unused, by);
    if (recipients === 0 && failure === null) return;
    const facts = { mailbox: account.name, recipients, messageId: batchId, purpose: 'campaign', run: null } as const;
    await this.journal.write(
      by,
      account.id,
      failure === null
        ? { type: 'MailSent', data: { ...facts, refused } }
        : { type: 'MailFailed', data: { ...facts, ...failure, surelyNotSent: recipients === 0 } },
    );
  }
}
