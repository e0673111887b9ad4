import type { JsonObject } from '../../../kernel/json/json.js';
import type { Message } from '../../../ports/messages.port.js';

/** The topic of mails of sites that are to be sent now. */
export const siteMailRequests = 'site-mail';

export interface SiteMailMessage extends JsonObject {
  readonly workspaceId: string;
  readonly mailId: string;
}

/** One mail of a site at a time: a slow mail server holds up its own site alone. Workspaces take turns. */
export function siteMailMessage(mail: {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly id: string;
  /** How often it was tried before. */
  readonly attempts: number;
}): Message {
  const { workspaceId, projectId, id: mailId, attempts } = mail;
  const value: SiteMailMessage = { workspaceId, mailId };
  return { id: `${mailId}/${attempts}`, key: `${workspaceId}/${projectId}`, value };
}

/** Whose mails have this key. */
export function projectOf(key: string): { readonly workspaceId: string; readonly projectId: string } {
  const [workspaceId = '', projectId = ''] = key.split('/');
  return { workspaceId, projectId };
}
