import { Injectable } from '@nestjs/common';
import { JournalRetention } from '../../../engine/retention/journal-retention.js';
import type { Sweep } from '../../../engine/retention/retention.js';
import { Blobs } from '../../../ports/blobs.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { type InboundEmail, inboundStream, type MailhookUse, rawMails } from './inbound-email.record.js';

/**
 * A mail is removed this long before its runs, because a rebuild of the read model of mails reads the outcomes of the
 * runs from their journal.
 */
const soonerMs = 2 * 3_600_000;

@Injectable()
export class InboundRetention {
  readonly sweep: Sweep;

  constructor(retention: JournalRetention, store: ReadStore, blobs: Blobs) {
    this.sweep = retention.add<InboundEmail>({
      name: 'inbound-retention',
      collection: 'inboundEmails',
      age: 'receivedAt',
      soonerMs,
      stream: ({ workspaceId, mailhookId }) => inboundStream(workspaceId, mailhookId),
      entries: { by: 'mailhookId' },
      type: 'InboundEmailsForgotten',
      counts: true,
      data: async ({ mailhookId }, { throughRevision, last }) => {
        const use = await store.get<MailhookUse>('mailhookUses', mailhookId);
        // If the read model lacks events of the journal, the recorded counts would be wrong. A later sweep then removes
        // the mails.
        if (use === undefined || use.revision !== last.revision) return undefined;
        const { receivedCount, lastReceivedAt } = use;
        return { throughRevision, receivedCount, lastReceivedAt, gone: false };
      },
      // Also destroys raw mails that were never recorded as received.
      beside: (before) => blobs.destroyAll(rawMails, { before }),
    });
  }
}
