import { type ShownMessage, shownJob } from '../../../engine/jobs/shown-job.js';
import type { Message } from '../../../ports/messages.port.js';
import { type InboundEmail, type InboundEmailEvent, inboundEmailCategory } from './inbound-email.record.js';

export const inboundRequests = 'inbound-mail';

interface InboundMessage extends ShownMessage {
  readonly mailhookId: string;
  readonly mailId: string;
}

type Accepting = Extract<InboundEmailEvent, { type: 'InboundEmailReceived' | 'InboundEmailStarted' }>;

export const inboundJob = shownJob<Accepting>()<InboundEmail, InboundMessage, 'receivedAt'>({
  topic: inboundRequests,
  // Number of mailhooks handled concurrently. Parsing and runs have their own limits.
  concurrency: 8,
  accepted: {
    saga: 'received-mail-is-handed-to-workers',
    category: inboundEmailCategory,
    reads: ['InboundEmailReceived', 'InboundEmailStarted'],
    message: ({ type, data, workspaceId, streamId, position }) =>
      // The worker that handles the message for the received mail also starts the target, so the first start needs no
      // message.
      type === 'InboundEmailStarted' && !data.rerun
        ? undefined
        : inboundMessage(workspaceId, streamId, data.mailId, position),
  },
  collection: 'inboundEmails',
  waits: { open: true },
  since: 'receivedAt',
  id: 'mailId',
  orderedBy: 'mailhookId',
  lease: 'open-mail',
  message: ({ workspaceId, mailhookId, id, position }) => inboundMessage(workspaceId, mailhookId, id, position),
});

/**
 * Mails of one mailhook stay in order and do not block those of other mailhooks. The key begins with the workspace, so
 * that each workspace gets a fair share of the workers.
 */
function inboundMessage(workspaceId: string, mailhookId: string, mailId: string, position: number): Message {
  const value: InboundMessage = { workspaceId, mailhookId, mailId, position };
  return { id: `${mailId}/${position}`, key: `${workspaceId}/${mailhookId}`, value };
}
