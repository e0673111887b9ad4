import { dueJob } from '../../../engine/jobs/due-job.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Message } from '../../../ports/messages.port.js';
import { type SiteMailEvent, type SiteMailInHand, siteMails } from './site-mail.record.js';

export const siteMailRequests = 'site-mail';

export interface SiteMailMessage extends JsonObject {
  readonly workspaceId: string;
  readonly mailId: string;
}

type Accepting = Extract<SiteMailEvent, { type: 'SiteMailAccepted' }>;

export const siteMailJob = dueJob<Accepting>()<SiteMailInHand, SiteMailMessage, 'dueAt'>({
  topic: siteMailRequests,
  concurrency: 16,
  accepted: {
    saga: 'accepted-site-mail-is-handed-to-senders',
    category: siteMails.category,
    reads: ['SiteMailAccepted'],
    message: ({ workspaceId, streamId: id, data: { projectId } }) =>
      siteMailMessage({ workspaceId, projectId, id, attempts: 0 }),
  },
  collection: 'siteMails',
  due: 'dueAt',
  everyMs: 2_000,
  ofKey: (key) => ({ ...projectOf(key), status: { in: ['accepted', 'delayed'] } }),
  message: (mail) => (mail.status === 'kept' ? undefined : siteMailMessage(mail)),
});

/**
 * The message key makes the mails of one site wait for one another, so a slow mail server delays only the site that
 * uses it.
 */
function siteMailMessage(mail: Pick<SiteMailInHand, 'workspaceId' | 'projectId' | 'id' | 'attempts'>): Message {
  const { workspaceId, projectId, id: mailId, attempts } = mail;
  const value: SiteMailMessage = { workspaceId, mailId };
  return { id: `${mailId}/${attempts}`, key: `${workspaceId}/${projectId}`, value };
}

function projectOf(key: string): { readonly workspaceId: string; readonly projectId: string } {
  const [workspaceId = '', projectId = ''] = key.split('/');
  return { workspaceId, projectId };
}
