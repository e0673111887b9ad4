import { Injectable, Logger } from '@nestjs/common';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import type { EventMetadata } from '../../../kernel/event/event.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Clock } from '../../../ports/clock.port.js';
import { Ids } from '../../../ports/ids.port.js';
import { Mail, MailError, type MailMessage, type MailServer } from '../../../ports/network/mail.port.js';
import { type MailAccount, mailAccounts } from '../mail-account/mail-account.record.js';
import { refuse } from '../mailboxes.refusals.js';
import { type Hour, msLeftInHour } from './mail.record.js';
import { MailJournal } from './mail-journal.js';
import type { MailCause } from './mail-request.api.js';
import { giveBack, reserveQuota } from './quota-hour.js';
import { SendQuota } from './send-quota.js';

@Injectable()
export class MailSender {
  private readonly log = new Logger('Mailboxes');

  constructor(
    private readonly mail: Mail,
    private readonly secrets: RecordedSecrets,
    private readonly quota: SendQuota,
    private readonly journal: MailJournal,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Logs in without sending anything.
   * @throws MailError
   */
  verify(account: MailAccount): Promise<void> {
    return this.mail.verify(this.serverOf(account));
  }

  /**
   * Resolves to the recipients that the server refused.
   * @throws Refusal mailbox-hourly-limit
   * @throws MailError if the server did not confirm that it accepted the mail
   */
  async hand(
    account: MailAccount,
    message: MailMessage,
    size: number,
    purpose: 'mail' | 'test',
    cause: MailCause,
  ): Promise<readonly string[]> {
    const by = this.metadataOf(account.workspaceId, cause);
    const taken = await this.take(account, size, by, cause.byAnybody === true);
    const facts = {
      mailbox: account.name,
      recipients: size,
      messageId: message.messageId,
      purpose,
      run: cause.run ?? null,
    };
    try {
      const { refused } = await this.mail.send(this.serverOf(account), message);
      await this.journal.write(by, account.id, { type: 'MailSent', data: { ...facts, refused: refused.length } });
      if (refused.length > 0) await this.giveBack(account, taken, refused.length, by);
      return refused;
    } catch (error) {
      // Errors other than MailError are thrown before anything is sent.
      const surelyNotSent = !(error instanceof MailError) || error.surelyNotSent;
      if (surelyNotSent) await this.giveBack(account, taken, size, by);
      const { kind, sentence } =
        error instanceof MailError
          ? { kind: error.kind, sentence: error.message }
          : { kind: 'service', sentence: 'The service could not send the mail; try again later.' };
      await this.journal.write(by, account.id, {
        type: 'MailFailed',
        data: { ...facts, kind, error: sentence, surelyNotSent },
      });
      throw error;
    }
  }

  private async take(account: MailAccount, size: number, by: EventMetadata, isByAnybody: boolean): Promise<Hour> {
    const { id, name, hourlyLimit } = account;
    const limit = isByAnybody ? Math.ceil(hourlyLimit / 2) : hourlyLimit;
    const now = this.clock.now();
    const { event, hour } = await this.quota.change(by, id, (before) => {
      const after = reserveQuota(before, size, limit, now);
      return after && { type: 'MailPlacesTaken', data: { size, hour: after } };
    });
    if (event !== undefined) return event.data.hour;
    const retryAfterSeconds = Math.ceil(msLeftInHour(hour, now) / 1_000);
    const facts = size > limit ? {} : { retryAfterSeconds };
    return refuse('mailbox-hourly-limit', { name, limit, sent: hour.count, size }, facts);
  }

  /**
   * Does not throw, because that would hide the mail's outcome. After a failure, the quota remains reserved until the
   * hour ends.
   */
  async giveBack({ id }: Pick<MailAccount, 'id'>, taken: Hour, size: number, by: EventMetadata): Promise<void> {
    try {
      await this.quota.change(by, id, (hour) => {
        const after = giveBack(hour, taken, size);
        return after && { type: 'MailPlacesGivenBack', data: { size, hour: after } };
      });
    } catch (error) {
      this.log.warn(
        `Unused quota of a mailbox could not be released and counts until the hour ends: ${reasonOf(error)}`,
      );
    }
  }

  serverOf({ workspaceId, id, host, port, secure, username, passwordId }: MailAccount): MailServer {
    return {
      mailbox: id,
      host,
      port,
      secure,
      username,
      passwordId,
      password: async () => {
        const password = await this.secrets.open(mailAccounts, workspaceId, passwordId);
        // The password is missing only if another call has replaced or deleted it since the mailbox was read.
        return password ?? Promise.reject(new MailError('login', passwordGone, true));
      },
    };
  }

  metadataOf(workspaceId: string, cause: MailCause): EventMetadata {
    const { actor, operation, correlationId, causationId } = cause;
    const at = new Date(this.clock.now()).toISOString();
    return { workspaceId, actor, operation, correlationId, causationId, commandId: this.ids.uuid(), at };
  }
}

const passwordGone = 'The password of the mailbox was just changed; try again.';
