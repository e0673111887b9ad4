import { Injectable } from '@nestjs/common';
import type { RecordedInboundEmailEvent } from '../areas/triggers/mailhook/inbound-email.record.js';
import { inboundMessage, inboundRequests } from '../areas/triggers/mailhook/inbound-requests.api.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';
import { Messages } from '../ports/messages.port.js';

type Read = Extract<RecordedInboundEmailEvent, { type: 'InboundEmailReceived' | 'InboundEmailStarted' }>;

/**
 * Publishes received mail, and mail to be run again, as messages for any process that parses mail and starts targets.
 */
@Injectable()
export class ReceivedMailIsHandedToWorkers implements Saga {
  readonly name = 'received-mail-is-handed-to-workers';
  readonly reads = ['InboundEmailReceived', 'InboundEmailStarted'];

  constructor(private readonly messages: Messages) {}

  async react(event: RecordedEvent): Promise<void> {
    const { type, data } = event as Read;
    // The first start is handled with the mail's own message.
    if (type === 'InboundEmailStarted' && !data.rerun) return;
    const { workspaceId, id: mailhookId } = parseStream(event.stream);
    await this.messages.publish(inboundRequests, inboundMessage(workspaceId, mailhookId, data.mailId, event.position));
  }
}
