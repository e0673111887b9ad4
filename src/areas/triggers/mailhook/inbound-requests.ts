import type { JsonObject } from '../../../kernel/json.js';
import type { Message } from '../../../ports/messages.port.js';

/** The topic of mails that something is to be done with, from whoever received them to whoever parses and starts. */
export const inboundRequests = 'inbound-mail';

export interface InboundMessage extends JsonObject {
  readonly workspaceId: string;
  readonly mailhookId: string;
  readonly mailId: string;
  /** Where in the log that stands: read models that are not there yet do not know it. */
  readonly position: number;
}

/** Mails of one mailhook keep their order; mailhooks do not wait for one another, and workspaces take turns. */
export function inboundMessage(workspaceId: string, mailhookId: string, mailId: string, position: number): Message {
  const value: InboundMessage = { workspaceId, mailhookId, mailId, position };
  return { id: `${mailId}/${position}`, key: `${workspaceId}/${mailhookId}`, value };
}
