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
import { reserveQuota } from './quota-hour.js';
import { SendQuota } from './send-quota.js';

export interface ReservedQuota {
  readonly size: number;
  readonly hour: Hour;
}

export interface BatchOutcome {
  readonly batchId: string;
  readonly recipients: number;
  /** Number of mails that the server refused because of the mail or the recipient. */
  readonly refused: number;
  /** The reason why the rest of the batch was not sent, or null if the whole batch was handled. */
  readonly failure: { readonly kind: string; readonly error: string } | null;
  /** The part of the reserved quota that was not used, in recipients. Certainly no mail was sent to them. */
  readonly unused: number;
}

/**
 * Sends the mails of a campaign in batches. Each batch reserves its quota at once and is recorded as a single mail. All
 * mail of the mailbox, of campaigns or not, counts towards the same hourly quota.
 */
@Injectable()
export class BulkMail {
  constructor(
    private readonly runner: CommandRunner,
    private readonly mail: Mail,
    private readonly sender: MailSender,
    private readonly quota: SendQuota,
    private readonly journal: MailJournal,
    private readonly clock: Clock,
  ) {}

  /** Returns undefined if the mailbox was deleted, is switched off, or does not serve the site. */
  async usable(workspaceId: string, mailAccountId: string, siteId: string): Promise<MailAccount | undefined> {
    const account = await this.runner.find(mailAccounts, workspaceId, mailAccountId);
    return account?.isActive && servesSite(account, siteId) ? account : undefined;
  }

  /**
   * Returns the remaining number of recipients and the milliseconds until the hour ends.
   * @throws EventStoreUnavailable
   */
  async remainingQuota(
    account: MailAccount,
    cause: MailCause,
  ): Promise<{ readonly quota: number; readonly endsInMs: number }> {
    const by = this.sender.metadataOf(account.workspaceId, cause);
    const { hour } = await this.quota.change(by, account.id, () => undefined);
    const now = this.clock.now();
    return { quota: Math.max(0, account.hourlyLimit - countInHour(hour, now)), endsInMs: msLeftInHour(hour, now) };
  }

  /**
   * Reserves the remaining quota, but at most `requested`, and resolves when the reservation is durable. Resolves to
   * undefined if no quota remains.
   * @throws EventStoreUnavailable
   */
  async reserve(account: MailAccount, requested: number, cause: MailCause): Promise<ReservedQuota | undefined> {
    const by = this.sender.metadataOf(account.workspaceId, cause);
    const { event } = await this.quota.change(by, account.id, (before) => {
      const now = this.clock.now();
      const size = Math.min(requested, account.hourlyLimit - countInHour(before, now));
      const hour = size <= 0 ? undefined : reserveQuota(before, size, account.hourlyLimit, now);
      return hour && { type: 'MailPlacesTaken', data: { size, hour } };
    });
    return event && { size: event.data.size, hour: event.data.hour };
  }

  /**
   * Sends one mail without a retry. The caller must have reserved its quota.
   * @throws MailError; Refusal mail-… if the mail is invalid
   */
  async send(account: MailAccount, request: RequestedMail, key: string, unsubscribeUrl: string): Promise<void> {
    const message = messageOf(account, judgeMail(request), key);
    await this.mail.send(this.sender.serverOf(account), { ...message, unsubscribeUrl });
  }

  /**
   * Gives the unused part of the quota back. Records the outcome if the batch has recipients or a failure. Does not
   * reject if these writes fail.
   */
  async settle(account: MailAccount, taken: ReservedQuota, outcome: BatchOutcome, cause: MailCause): Promise<void> {
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
