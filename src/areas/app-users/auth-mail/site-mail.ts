import type { SiteMailEvent, SiteMailInHand, SiteMailKind } from './site-mail.record.js';

export const siteMailRetainedMs = 24 * 3_600_000;

export function acceptSiteMail(input: {
  readonly projectId: string;
  readonly kind: SiteMailKind;
  readonly userId: string | null;
  readonly now: number;
  /** Validity of the link in milliseconds. Undefined if the mail has no link that expires. */
  readonly expiresIn: number | undefined;
}): readonly SiteMailEvent[] {
  const { projectId, kind, userId, now, expiresIn = siteMailRetainedMs } = input;
  const sendUntil = new Date(now + Math.min(expiresIn, siteMailRetainedMs)).toISOString();
  const expiresAt = new Date(now + siteMailRetainedMs).toISOString();
  return [{ type: 'SiteMailAccepted', data: { projectId, kind, userId, sendUntil, expiresAt } }];
}

export type MailOutcome =
  | { readonly sent: true; readonly mailbox: string | null; readonly messageId: string }
  /** `again` means that another attempt may succeed. It is made no sooner than `afterMs` from now. */
  | { readonly sent: false; readonly error: string; readonly again: boolean; readonly afterMs?: number };

const pausesMs = [5_000, 15_000, 60_000, 5 * 60_000, 15 * 60_000];
const longestPauseMs = 30 * 60_000;

/**
 * Records the result of an attempt. A failed mail is retried at growing intervals until its `sendUntil`. After that, or
 * if a retry cannot succeed, members can read it until its retention ends. Welcome mail is deleted instead (Q-S26).
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
