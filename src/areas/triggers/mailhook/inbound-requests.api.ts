import { type ShownMessage, shownJob } from '../../../engine/jobs/shown-job.js';
import type { Message } from '../../../ports/messages.port.js';
import { type InboundEmail, type InboundEmailEvent, inboundEmailCategory } from './inbound-email.record.js';

export const inboundRequests = 'inbound-mail';

interface InboundMessage extends ShownMessage {
  readonly mailhookId: string;
  readonly mailId: string;
}

type Accepting = Extract<InboundEmailEvent, { type: 'InboundEmailReceived' | 'InboundEmailStarted' }>;

/** Parsing of received mail and starting of its targets; mail that is to be run again, too. */
export const inboundJob = shownJob<Accepting>()<InboundEmail, InboundMessage, 'receivedAt'>({
  topic: inboundRequests,
  // Mailhooks. Parsing and runs have limits of their own.
  concurrency: 8,
  accepted: {
    saga: 'received-mail-is-handed-to-workers',
    category: inboundEmailCategory,
    reads: ['InboundEmailReceived', 'InboundEmailStarted'],
    message: ({ type, data, workspaceId, streamId, position }) =>
      // The first start is handled with the mail's own message.
      type === 'InboundEmailStarted' && !data.rerun
        ? undefined
        : inboundMessage(workspaceId, streamId, data.mailId, position),
  },
  collection: 'inboundEmails',
  waits: { open: true },
  since: 'receivedAt',
  id: 'mailId',
  lane: 'mailhookId',
  lease: 'open-mail',
  message: ({ workspaceId, mailhookId, id, position }) => inboundMessage(workspaceId, mailhookId, id, position),
});

/** Mails of one mailhook keep their order. Mailhooks do not wait for one another, and workspaces take turns. */
function inboundMessage(workspaceId: string, mailhookId: string, mailId: string, position: number): Message {
  const value: InboundMessage = { workspaceId, mailhookId, mailId, position };
  return { id: `${mailId}/${position}`, key: `${workspaceId}/${mailhookId}`, value };
}
