import { type MailAccount, servesSite } from '../../mailboxes/mail-account/mail-account.record.js';
import type { EmailTemplate } from '../email-template/email-template.record.js';
import type { Project, ProjectEvent } from './project.record.js';

const dayMs = 24 * 3_600_000;

export function mailboxLost(before: MailAccount, after: MailAccount | undefined, siteId: string): string | undefined {
  if (!before.isActive || !servesSite(before, siteId)) return undefined;
  if (after === undefined) return 'was deleted';
  if (!after.isActive) return 'was deactivated';
  if (after.name !== before.name) return `was renamed to '${after.name}'`;
  return servesSite(after, siteId) ? undefined : 'is now restricted to another site';
}

export interface NoticeFacts {
  readonly now: number;
  readonly noticeId: string;
}

/**
 * The project's setting is not changed, so a mailbox that is created again with the same name serves the site again.
 */
export function noticeLostMailbox(
  { name, authMailAccount }: Project,
  mailbox: string,
  why: string,
  telling: NoticeFacts,
): readonly ProjectEvent[] {
  if (authMailAccount !== mailbox) return [];
  const summary = `Mail of sign-in goes through the platform's sender, because the mailbox '${mailbox}' ${why}.`;
  return noticeEvents(name, summary, telling);
}

/** The project's setting is not changed, so a template that a snapshot or git restores is used again. */
export function noticeLostTemplate(
  { name, authVerifyTemplateId, authResetTemplateId }: Project,
  template: Pick<EmailTemplate, 'id' | 'name'>,
  telling: NoticeFacts,
): readonly ProjectEvent[] {
  const uses = [
    ...(authVerifyTemplateId === template.id ? ['verifies addresses'] : []),
    ...(authResetTemplateId === template.id ? ['resets passwords'] : []),
  ];
  if (uses.length === 0) return [];
  const which = uses.join(' and ');
  const summary = `Mail that ${which} uses the built-in template, because the template '${template.name}' was deleted.`;
  return noticeEvents(name, summary, telling);
}

function noticeEvents(name: string, summary: string, { noticeId, now }: NoticeFacts): readonly ProjectEvent[] {
  const notice = { id: noticeId, name, summary, expiresAt: new Date(now + dayMs).toISOString() };
  return [{ type: 'ProjectSignInMailLost', data: { notice } }];
}
