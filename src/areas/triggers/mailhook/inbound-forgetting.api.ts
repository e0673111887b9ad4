import { Injectable } from '@nestjs/common';
import { systemActor } from '../../../engine/calls.js';
import type { RecordedEvent } from '../../../kernel/event.js';
import { Blobs } from '../../../ports/blobs.port.js';
import { EventStore } from '../../../ports/event-store.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { Vault } from '../../../ports/vault.port.js';
import { type InboundEmail, inboundEmailName, type MailhookUse, rawMailsOf } from './inbound-email.record.js';
import { InboundJournal, inboundStream } from './inbound-journal.api.js';

const pageSize = 200;

/**
 * Removes mail: first its content, then the record that it came. The journal records the removal itself, so that a
 * rebuild gives the same state.
 */
@Injectable()
export class InboundForgetting {
  constructor(
    private readonly store: ReadStore,
    private readonly events: EventStore,
    private readonly journal: InboundJournal,
    private readonly blobs: Blobs,
    private readonly vault: Vault,
  ) {}

  /** Removes everything that a deleted mailhook received. May be repeated. */
  async all(workspaceId: string, mailhookId: string): Promise<void> {
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
    const [last] = await this.events.readStream(stream, { direction: 'backward', limit: 1 });
    if (last === undefined || isGone(last)) return;
    const { revision } = last;
    const counts = { receivedCount: 0, lastReceivedAt: null };
    await this.through(workspaceId, mailhookId, revision, revision, { ...counts, gone: true });
  }

  /**
   * Removes the journal before the first mail received at or after the cutoff (ISO 8601). Does nothing if somebody is
   * writing to the journal at the moment; the next pass will do it.
   */
  async old(workspaceId: string, mailhookId: string, cutoff: string): Promise<void> {
    const revision = await this.lastRevision(workspaceId, mailhookId);
    const use = await this.store.get<MailhookUse>('mailhookUses', mailhookId);
    // The counts are only right if the read model includes the whole journal.
    if (use === undefined || use.revision !== revision) return;
    const [kept] = await this.store.find<InboundEmail>('inboundEmails', {
      where: { mailhookId, receivedAt: { gte: cutoff } },
      sort: [['revision', 'asc']],
      limit: 1,
    });
    const throughRevision = kept === undefined ? revision : kept.revision - 1;
    const { receivedCount, lastReceivedAt } = use;
    await this.through(workspaceId, mailhookId, throughRevision, revision, {
      receivedCount,
      lastReceivedAt,
      gone: false,
    });
  }

  private async through(
    workspaceId: string,
    mailhookId: string,
    throughRevision: number,
    expected: number,
    counts: { readonly receivedCount: number; readonly lastReceivedAt: string | null; readonly gone: boolean },
  ): Promise<void> {
    const event = { type: 'InboundEmailsForgotten', data: { throughRevision, ...counts } } as const;
    const entry = { workspaceId, mailhookId, actor: systemActor('inbound-mail'), event, correlationId: mailhookId };
    await this.journal.forget({ ...entry, once: `${expected}` }, expected, throughRevision);
  }

  private async lastRevision(workspaceId: string, mailhookId: string): Promise<number> {
    const stream = inboundStream(workspaceId, mailhookId);
    const [last] = await this.events.readStream(stream, { direction: 'backward', limit: 1 });
    return last?.revision ?? -1;
  }
}

/** Nothing was written since the journal was last removed as a whole. */
const isGone = ({ type, data }: RecordedEvent) =>
  type === 'InboundEmailsForgotten' && 'gone' in data && data.gone === true;
