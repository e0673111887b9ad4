import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../engine/health/metrics.js';
import { LogHead } from '../../../engine/messages/log-head.js';
import { QueuedAgain } from '../../../engine/messages/queued-again.js';
import { Watermark } from '../../../engine/read-models/watermark.js';
import { Clock } from '../../../ports/clock.port.js';
import { type Message, Messages } from '../../../ports/messages.port.js';
import { ReadStore } from '../../../ports/read-store.port.js';
import type { InboundEmail } from './inbound-email.record.js';
import { inboundStream } from './inbound-journal.api.js';
import { type InboundMessage, inboundMessage, inboundRequests } from './inbound-requests.api.js';

/** Finds received mail with which something is still to be done, where its messages are not at hand. */
@Injectable()
export class QueuedMails {
  private readonly lost: QueuedAgain<InboundEmail, 'receivedAt'>;

  constructor(
    private readonly store: ReadStore,
    private readonly watermark: Watermark,
    private readonly messages: Messages,
    private readonly head: LogHead,
    clock: Clock,
    metrics: Metrics,
  ) {
    this.lost = new QueuedAgain<InboundEmail, 'receivedAt'>(store, messages, clock, metrics, {
      topic: inboundRequests,
      collection: 'inboundEmails',
      where: { open: true },
      since: 'receivedAt',
      message: messageOf,
    });
  }

  /** Publishes again what has waited for long: its message may be lost. */
  settle(): Promise<void> {
    return this.lost.look();
  }

  /** Publishes messages again that were lost with their process. */
  async publishAll(): Promise<void> {
    const open = await this.store.find<InboundEmail>('inboundEmails', {
      where: { open: true },
      sort: [['position', 'asc']],
    });
    for (const mail of open) await this.messages.publish(inboundRequests, messageOf(mail));
  }

  /** @throws Error when the read model does not include the known ones yet */
  async next(known: readonly Message[], limit: number): Promise<readonly Message[]> {
    const values = known.map(({ value }) => value as InboundMessage);
    const [{ workspaceId, mailhookId } = { workspaceId: '', mailhookId: '' }] = values;
    const stream = inboundStream(workspaceId, mailhookId);
    const last = await this.head.lastOf(
      values.map(({ position }) => position),
      'inboundEmails',
    );
    this.watermark.appended(last, [{ stream, type: 'InboundEmailReceived' }]);
    const mails = await this.store.find<InboundEmail>('inboundEmails', {
      where: { workspaceId, mailhookId, open: true },
      sort: [['position', 'asc']],
      limit,
    });
    if (!this.watermark.isCurrent('inboundEmails')) throw new Error('The read models do not show all mails yet.');
    return mails.map(messageOf);
  }
}

const messageOf = ({ workspaceId, mailhookId, id, position }: InboundEmail): Message =>
  inboundMessage(workspaceId, mailhookId, id, position);
