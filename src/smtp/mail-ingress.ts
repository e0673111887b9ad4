import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { rawMailName } from '../areas/triggers/mailhook/inbound-email.record.js';
import { type InboundEntry, InboundJournal } from '../areas/triggers/mailhook/inbound-journal.api.js';
import type { Mailhook } from '../areas/triggers/mailhook/mailhook.record.js';
import { Environment } from '../config/environment.js';
import { RecordingQuota } from '../engine/quotas/recording-quota.js';
import { factsOf, type MailFacts } from '../kernel/mail/envelope-facts.js';
import { Blobs } from '../ports/blobs.port.js';
import { Ids } from '../ports/ids.port.js';
import { Vault } from '../ports/vault.port.js';
import { MailRecipients } from './mailhook-addresses.js';
import { noSuchAddress, storageUsedUp } from './smtp-refusal.js';

export interface MailDelivery {
  /** Empty if the mail is a bounce. */
  readonly from: string;
  readonly recipients: readonly string[];
  readonly raw: Buffer;
}

@Injectable()
export class MailIngress {
  constructor(
    private readonly addresses: MailRecipients,
    private readonly blobs: Blobs,
    private readonly journal: InboundJournal,
    private readonly vault: Vault,
    private readonly ids: Ids,
    private readonly environment: Environment,
    private readonly quota: RecordingQuota,
  ) {}

  /** @throws SmtpRefusal if the workspace has used up its quota of stored files for today */
  async mustHaveRoom({ workspaceId }: Mailhook): Promise<void> {
    if (!(await this.quota.hasRoom({ workspaceId }, 'files'))) throw storageUsedUp();
  }

  /**
   * Stores a mail for each mailhook to which it is addressed, and returns the ids of the mails. Resolves when
   * everything is durable. If recording an arrival fails, the client sends the mail again, and the repetition is
   * recognised by its `messageKey`.
   * @throws SmtpRefusal if all recipients have been deleted, or if one of the workspaces has no room. The refusal
   * applies to all recipients. When the client sends the mail again, only recipients without room are refused.
   */
  async receive({ from, recipients, raw }: MailDelivery): Promise<readonly string[]> {
    const found = await Promise.all(recipients.map((address) => this.addresses.find(address)));
    const mailhooks = new Map(found.flatMap((mailhook) => (mailhook === undefined ? [] : [[mailhook.id, mailhook]])));
    if (mailhooks.size === 0) throw noSuchAddress();
    for (const mailhook of mailhooks.values()) await this.mustHaveRoom(mailhook);
    const facts = factsOf(raw, from, this.environment.mailIn.domain);
    const content = facts.messageId ?? createHash('sha256').update(raw).digest('hex');
    const entries = [...mailhooks.values()].map((mailhook) => this.entryFor(mailhook, facts, content, raw.length));
    const mailIds = entries.map(({ once }) => once);
    await Promise.all(
      entries.map(async ({ workspaceId, mailhookId, once }) => {
        await this.blobs.put(rawMailName(workspaceId, mailhookId, once), raw);
        this.quota.count({ workspaceId }, 'files', raw.length);
      }),
    );
    await this.journal.write(...entries);
    return mailIds;
  }

  private entryFor(mailhook: Mailhook, { messageId, skip }: MailFacts, content: string, size: number): InboundEntry {
    const { workspaceId, id: mailhookId, name, isActive } = mailhook;
    const mailId = this.ids.newId('mail');
    const kind = messageId === undefined ? 'content' : 'message-id';
    const messageKey = this.vault.derive(`inbound-mail/${mailhookId}/${kind}/${content}`);
    const data = { mailId, messageKey, size, skip: isActive ? skip : 'mailhook-inactive' } as const;
    return {
      workspaceId,
      mailhookId,
      actor: { kind: 'mailhook', id: mailhookId, name },
      event: { type: 'InboundEmailReceived', data },
      once: mailId,
      correlationId: mailId,
    };
  }
}
