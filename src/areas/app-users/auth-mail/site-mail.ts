import type { SiteMailEvent, SiteMailInHand, SiteMailKind } from './site-mail.record.js';

export const siteMailRetainedMs = 24 * 3_600_000;

export function acceptSiteMail(input: {
  readonly projectId: string;
  readonly kind: SiteMailKind;
  readonly userId: string | null;
  readonly now: number;
  readonly expiresIn: number | undefined;
}): readonly SiteMailEvent[] {
  const { projectId, kind, userId, now, expiresIn = siteMailRetainedMs } = input;
  const sendUntil = new Date(now + Math.min(expiresIn, siteMailRetainedMs)).toISOString();
  const expiresAt = new Date(now + siteMailRetainedMs).toISOString();
  return [{ type: 'SiteMailAccepted', data: { projectId, kind, userId, sendUntil, expiresAt } }];
}

export type MailOutcome =
  | { readonly sent: true; readonly mailbox: string | null; readonly messageId: string }
  /** If `again` is set, the attempt may be repeated, no sooner than after `afterMs` milliseconds. */
  | { readonly sent: false; readonly error: string; readonly again: boolean; readonly afterMs?: number };

const pausesMs = [5_000, 15_000, 60_000, 5 * 60_000, 15 * 60_000];
const longestPauseMs = 30 * 60_000;

/**
 * A failed mail is retried at growing intervals until its `sendUntil`. If no retry is left, members can read the mail
 * until its retention ends; welcome mail is deleted instead (Q-S26).
 */
export function settleSiteMail(
  mail: SiteMailInHand | undefined,
  attempt: MailOutcome,
  now: number,
): readonly SiteMailEvent[] {
  if (mail === undefined || mail.status === 'kept') return [];
  if (attempt.sent) {
    const { mailbox, messageId } = attempt;
    const { projectId, kind } = mail;
    return [{ type: 'SiteMailSent', data: { mailbox, messageId, projectId, kind } }];
  }
  const { error, again, afterMs = 0 } = attempt;
  const retryAt = now + Math.max(afterMs, pausesMs[mail.attempts] ?? longestPauseMs);
  if (again && retryAt < Date.parse(mail.sendUntil)) {
    const data = { attempts: mail.attempts + 1, error, retryAt: new Date(retryAt).toISOString() };
    return [{ type: 'SiteMailDelayed', data }];
  }
  if (mail.kind === 'welcome') return [{ type: 'SiteMailForgotten', data: { why: 'not-sent', error } }];
  return [{ type: 'SiteMailKept', data: { error } }];
}

type Why = Extract<SiteMailEvent, { type: 'SiteMailForgotten' }>['data']['why'];

export const forgetSiteMail = (why: Why): readonly SiteMailEvent[] => [{ type: 'SiteMailForgotten', data: { why } }];
