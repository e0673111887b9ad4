import type { OutgoingMail, OutgoingMailEvent } from './outgoing-mail.record.js';

const dayMs = 24 * 3_600_000;

export function readOutgoingMail(
  before: OutgoingMail | undefined,
  projectId: string,
  mailIds: readonly string[],
): readonly OutgoingMailEvent[] {
  return [...begun(before, projectId), { type: 'OutgoingMailRead', data: { mailIds } }];
}

export interface OutgoingMailNotice {
  readonly projectId: string;
  readonly name: string;
  readonly summary: string;
  readonly noticeId: string;
  readonly now: number;
}

/**
 * Records at most one notice per day and site. Visitors can cause such notices, and many of them would hide all other
 * notices.
 */
export function noticeOutgoingMail(
  before: OutgoingMail | undefined,
  telling: OutgoingMailNotice,
): readonly OutgoingMailEvent[] {
  const { projectId, name, summary, noticeId, now } = telling;
  const last = before?.noticedAt ?? null;
  if (last !== null && now - Date.parse(last) < dayMs) return [];
  const notice = { id: noticeId, name, summary, expiresAt: new Date(now + dayMs).toISOString() };
  return [...begun(before, projectId), { type: 'OutgoingMailNoticed', data: { notice } }];
}

function begun(before: OutgoingMail | undefined, projectId: string): readonly OutgoingMailEvent[] {
  return before === undefined ? [{ type: 'OutgoingMailBegun', data: { projectId } }] : [];
}
