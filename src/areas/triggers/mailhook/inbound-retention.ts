import { Injectable } from '@nestjs/common';
import { JournalRetention } from '../../../engine/retention/journal-retention.js';
import type { Sweep } from '../../../engine/retention/retention.js';
import { Blobs } from '../../../ports/blobs.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { type InboundEmail, inboundStream, type MailhookUse, rawMails } from './inbound-email.record.js';

/**
 * Mails are removed this much earlier than their runs. A rebuild of the read model of mails reads the outcomes of the
 * runs, so the runs must not be removed first.
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
        // While the read model lags behind the journal, its counts are wrong. The mails are then left for a later
        // sweep.
        if (use === undefined || use.revision !== last.revision) return undefined;
        const { receivedCount, lastReceivedAt } = use;
        return { throughRevision, receivedCount, lastReceivedAt, gone: false };
      },
      // Also destroys raw mails that were never recorded as received.
      beside: (before) => blobs.destroyAll(rawMails, { before }),
    });
  }
}
