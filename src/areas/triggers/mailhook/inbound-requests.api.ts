import type { JsonObject } from '../../../kernel/json/json.js';
import type { Message } from '../../../ports/messages.port.js';

/**
 * The topic of mails that need work, from the process that received them to the one that parses them and starts runs.
 */
export const inboundRequests = 'inbound-mail';

export interface InboundMessage extends JsonObject {
  readonly workspaceId: string;
  readonly mailhookId: string;
  readonly mailId: string;
  /** The log position of that record. Read models that have not reached it do not know the mail yet. */
  readonly position: number;
}

/** Mails of one mailhook keep their order. Mailhooks do not wait for one another, and workspaces take turns. */
export function inboundMessage(workspaceId: string, mailhookId: string, mailId: string, position: number): Message {
  const value: InboundMessage = { workspaceId, mailhookId, mailId, position };
  return { id: `${mailId}/${position}`, key: `${workspaceId}/${mailhookId}`, value };
}
