import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Ids } from '../../../ports/ids.port.js';
import { MailError } from '../../../ports/network/mail.port.js';
import { type MailAccount, mailAccounts, servesSite } from '../mail-account/mail-account.record.js';
import { mailDefaults } from '../mail-account/mail-default.record.js';
import { refuse } from '../mailboxes.refusals.js';
import { messageOf } from './mail-message.js';
import type { MailCause, RequestedMail, SentMessage, UsableMailbox } from './mail-request.api.js';
import { MailSender } from './mail-sender.js';
import { judgeMail } from './mail-validation.js';

@Injectable()
export class Mailboxes {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly mails: MailSender,
    private readonly ids: Ids,
  ) {}

  /**
   * Sends a mail through the mailbox of this name or, without a name, the default one. The recipients are durably
   * counted against the mailbox's hourly limit before the mail is sent. The outcome is recorded without the content.
   * @throws Refusal needsMailbox, mailbox-unknown, mailbox-inactive, mailbox-of-another-site, mailbox-hourly-limit;
   * mail-… if the mail is invalid
   * @throws MailError if the server did not confirm that it accepted the mail; EventStoreUnavailable, VaultUnavailable
   */
  async send(
    workspaceId: string,
    mailbox: string | undefined,
    request: RequestedMail,
    cause: MailCause,
  ): Promise<SentMessage> {
    const judged = judgeMail(request);
    const account =
      mailbox === undefined
        ? await this.byDefault(workspaceId, cause.siteId)
        : await this.named(workspaceId, mailbox, cause.siteId);
    const message = messageOf(account, judged, cause.messageKey ?? this.ids.uuid());
    const refused = await this.mails.hand(account, message, judged.size, 'mail', cause);
    return { messageId: message.messageId, fromNameOverridden: judged.fromName !== '', refused };
  }

  /**
   * Logs in with the mailbox's settings, even if it is inactive. With `to`, also sends a real mail, which counts
   * towards the quota. Resolves to the reason of a failure, or to null on success. Does not record the result with the
   * mailbox.
   * @throws Refusal mail-account-not-found, mailbox-hourly-limit, mail-invalid
   */
  async tryOut(
    workspaceId: string,
    mailAccountId: string,
    to: string | undefined,
    cause: MailCause,
  ): Promise<string | null> {
    const account = (await this.runner.find(mailAccounts, workspaceId, mailAccountId)) ?? mailAccounts.missing();
    try {
      if (to === undefined) await this.mails.verify(account);
      else {
        const judged = judgeMail({ to, subject: `Test of the mailbox ${account.name}`, text: testText });
        await this.mails.hand(account, messageOf(account, judged, this.ids.uuid()), judged.size, 'test', cause);
      }
      return null;
    } catch (error) {
      if (error instanceof MailError) return error.message;
      throw error;
    }
  }

  /** @throws Refusal needsMailbox, also if the default mailbox does not serve the site */
  async defaultOf(workspaceId: string, siteId: string): Promise<{ readonly id: string; readonly name: string }> {
    const { id, name } = await this.byDefault(workspaceId, siteId);
    return { id, name };
  }

  /** Returns the active mailboxes, sorted by name, that serve the site or, for null, the workspace itself. */
  async usable(workspaceId: string, siteId: string | null): Promise<readonly UsableMailbox[]> {
    const found = await this.reads.find<MailAccount>(workspaceId, 'mailAccounts', {
      where: { isActive: true },
      sort: [['name', 'asc']],
    });
    const chosen = await this.runner.find(mailDefaults, workspaceId, workspaceId);
    return found
      .filter((account) => servesSite(account, siteId))
      .map(({ id, name, fromAddress, fromName }) => ({
        name,
        fromAddress,
        fromName,
        isDefault: chosen?.mailAccountId === id,
      }));
  }

  private async byDefault(workspaceId: string, siteId: string | null): Promise<MailAccount> {
    const chosen = (await this.runner.find(mailDefaults, workspaceId, workspaceId))?.mailAccountId ?? undefined;
    const account = chosen === undefined ? undefined : await this.runner.find(mailAccounts, workspaceId, chosen);
    return account?.isActive && servesSite(account, siteId) ? account : refuse('needsMailbox');
  }

  private async named(workspaceId: string, name: string, siteId: string | null): Promise<MailAccount> {
    const shown = await this.reads.first<MailAccount>(workspaceId, 'mailAccounts', { name });
    const account = shown && (await this.runner.find(mailAccounts, workspaceId, shown.id));
    if (account?.name !== name) return refuse('mailbox-unknown', { name: name.slice(0, 200) });
    if (!servesSite(account, siteId)) refuse('mailbox-of-another-site', { name });
    return account.isActive ? account : refuse('mailbox-inactive', { name });
  }
}

const testText = 'This mail was sent to test a mailbox. It arrived, so the mailbox works.\n';
