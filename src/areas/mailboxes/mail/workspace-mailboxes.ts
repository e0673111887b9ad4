import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/command-runner.js';
import { Reads } from '../../../engine/reads.js';
import { refuse } from '../../../kernel/refusal.js';
import { Ids } from '../../../ports/ids.port.js';
import { MailError, type MailMessage } from '../../../ports/mail.port.js';
import {
  Mailboxes,
  type MailCause,
  type SentMail,
  type UsableMailbox,
  type WantedMail,
} from '../../../ports/mailboxes.port.js';
import { type MailAccount, mailAccounts } from '../mail-account/mail-account.record.js';
import { mailDefaults } from '../mail-account/mail-default.record.js';
import { MailSender } from './mail-sender.js';
import { type JudgedMail, judgeMail } from './mail-validation.js';

/** Selects the mailbox that a mail is sent through, and the sender it shows. */
@Injectable()
export class WorkspaceMailboxes extends Mailboxes {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly mails: MailSender,
    private readonly ids: Ids,
  ) {
    super();
  }

  override async send(
    workspaceId: string,
    mailbox: string | undefined,
    wanted: WantedMail,
    cause: MailCause,
  ): Promise<SentMail> {
    const judged = judgeMail(wanted);
    const account =
      mailbox === undefined
        ? await this.byDefault(workspaceId, cause.siteId)
        : await this.named(workspaceId, mailbox, cause.siteId);
    const message = this.messageOf(account, judged);
    const refused = await this.mails.hand(account, message, judged.size, 'mail', cause);
    return { messageId: message.messageId, fromNameOverridden: judged.fromName !== '', refused };
  }

  override async tryOut(
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
        await this.mails.hand(account, this.messageOf(account, judged), judged.size, 'test', cause);
      }
      return null;
    } catch (error) {
      if (error instanceof MailError) return error.message;
      throw error;
    }
  }

  override async usable(workspaceId: string, siteId: string | null): Promise<readonly UsableMailbox[]> {
    const found = await this.reads.find<MailAccount>(workspaceId, 'mailAccounts', {
      where: { isActive: true },
      sort: [['name', 'asc']],
    });
    const chosen = await this.runner.find(mailDefaults, workspaceId, workspaceId);
    return found
      .filter((account) => serves(account, siteId))
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
    return account?.isActive && serves(account, siteId) ? account : refuse('needsMailbox');
  }

  /** The read model finds the mailbox by name; the stream gives its current state. */
  private async named(workspaceId: string, name: string, siteId: string | null): Promise<MailAccount> {
    const shown = await this.reads.first<MailAccount>(workspaceId, 'mailAccounts', { name });
    const account = shown && (await this.runner.find(mailAccounts, workspaceId, shown.id));
    if (account?.name !== name) return refuse('mailbox-unknown', { name: name.slice(0, 200) });
    if (!serves(account, siteId)) refuse('mailbox-of-another-site', { name });
    return account.isActive ? account : refuse('mailbox-inactive', { name });
  }

  private messageOf(account: MailAccount, { size: _, fromName, ...judged }: JudgedMail): MailMessage {
    const { fromAddress, replyTo } = account;
    const name = fromName === '' ? account.fromName : fromName;
    return {
      ...judged,
      messageId: `<${this.ids.uuid()}@${fromAddress.slice(fromAddress.lastIndexOf('@') + 1)}>`,
      from: name === '' ? { address: fromAddress } : { address: fromAddress, name },
      replyTo: judged.replyTo ?? (replyTo === '' ? undefined : { address: replyTo }),
    };
  }
}

const testText = 'This mail was sent to test a mailbox. It arrived, so the mailbox works.\n';

const serves = ({ projectId }: MailAccount, siteId: string | null) => projectId === null || projectId === siteId;
