import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Journal, refusingWhenAway } from '../../../engine/journal/journal.js';
import { systemActor } from '../../../engine/operation/calls.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import { Blobs } from '../../../ports/blobs.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { Vault } from '../../../ports/vault.port.js';
import {
  type InboundEmail,
  type InboundEmailEvent,
  inboundEmailName,
  inboundStream,
  rawMailsOf,
} from './inbound-email.record.js';
import { mailhooks } from './mailhook.record.js';

const pageSize = 200;
const actor = systemActor('inbound-mail');

/**
 * Destroys the content of received mails, and then removes their events from the journal. An event records the removal,
 * so a rebuild of the read models leads to the same result.
 */
@Injectable()
export class InboundForgetting {
  constructor(
    private readonly store: ReadStore,
    private readonly journal: Journal,
    private readonly blobs: Blobs,
    private readonly vault: Vault,
    private readonly runner: CommandRunner,
  ) {}

  /**
   * Forgets all mail of a mailhook that was deleted at this log position. Idempotent: if the mail from before the
   * deletion is gone and the mailhook was restored since, its later mail remains.
   */
  async ofDeleted(workspaceId: string, mailhookId: string, deletedAt: number): Promise<void> {
    const oldest = await this.journal.at(inboundStream(workspaceId, mailhookId), 0);
    const isForgotten = oldest === undefined || oldest.position > deletedAt;
    if (isForgotten && (await this.runner.find(mailhooks, workspaceId, mailhookId)) !== undefined) return;
    await this.all(workspaceId, mailhookId);
  }

  /** Idempotent. */
  async all(workspaceId: string, mailhookId: string): Promise<void> {
    // Repeated, because the event of a mail that was being received while the mailhook was deleted may still be
    // appended.
    while (!(await this.allAtOnce(workspaceId, mailhookId)));
  }

  /** Returns false if another writer has appended to the journal in the meantime. The journal's events then remain. */
  private async allAtOnce(workspaceId: string, mailhookId: string): Promise<boolean> {
    await this.blobs.destroyAll(rawMailsOf(workspaceId, mailhookId));
    for (let after = -1; ; ) {
      const mails = await this.store.find<InboundEmail>('inboundEmails', {
        where: { mailhookId, position: { gt: after } },
        sort: [['position', 'asc']],
        limit: pageSize,
      });
      for (const { id } of mails) await this.vault.destroy(inboundEmailName(workspaceId, id));
      const last = mails.at(-1);
      if (last === undefined) break;
      after = last.position;
    }
    const stream = inboundStream(workspaceId, mailhookId);
    const last = await this.journal.last(stream);
    if (last === undefined || isGone(last)) return true;
    const { revision } = last;
    const event = {
      type: 'InboundEmailsForgotten',
      data: { throughRevision: revision, receivedCount: 0, lastReceivedAt: null, gone: true },
    } satisfies InboundEmailEvent;
    const by = { workspaceId, actor, correlationId: mailhookId, operation: 'automations/inboundMail' };
    const events = [{ ...event, once: `${stream}/${event.type}/${revision}` }];
    return refusingWhenAway(() => this.journal.forget({ stream, by, events, expected: revision }, revision));
  }
}

const isGone = ({ type, data }: RecordedEvent) =>
  type === 'InboundEmailsForgotten' && 'gone' in data && data.gone === true;
