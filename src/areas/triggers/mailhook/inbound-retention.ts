import { Injectable } from '@nestjs/common';
import { JournalRetention } from '../../../engine/retention/journal-retention.js';
import type { Sweep } from '../../../engine/retention/retention.js';
import { Blobs } from '../../../ports/blobs.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import { type InboundEmail, inboundStream, type MailhookUse, rawMails } from './inbound-email.record.js';

/**
 * A mail is removed this long before the runs that it started. A rebuild of the read model of mails reads the outcomes
 * of those runs from their journal, so the journal must still contain them.
 */
const soonerMs = 2 * 3_600_000;

/** Removes events and raw mail past retention. */
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
        // If the journal has events that the read model does not include yet, the recorded counts would be wrong. The
        // mails are then removed by a later sweep.
        if (use === undefined || use.revision !== last.revision) return undefined;
        const { receivedCount, lastReceivedAt } = use;
        return { throughRevision, receivedCount, lastReceivedAt, gone: false };
      },
      // Deletes all raw mail that was stored before the cutoff, also mail that was never recorded as received.
      beside: (before) => blobs.destroyAll(rawMails, { before }),
    });
  }
}
