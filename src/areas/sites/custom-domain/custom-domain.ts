import { refuse } from '../sites.refusals.js';
import type { CustomDomain, CustomDomainEvent, DomainNotice } from './custom-domain.record.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Where the TXT record stands that proves a domain (settled question Q-S16). */
export const txtNameOf = (domain: string): string => `_verify.${domain}`;

/** The domain that it is already stays as it is, with its token. `token` is new and random. */
export function setCustomDomain(
  before: CustomDomain | undefined,
  projectId: string,
  domain: string,
  token: string,
): readonly CustomDomainEvent[] {
  return before?.domain === domain ? [] : [{ type: 'CustomDomainSet', data: { projectId, domain, token } }];
}

/** What was found at the name, or why nobody could say what is there. */
export type Look = { readonly texts: readonly string[] } | { readonly unavailable: string };

/** About a look that is being taken, at the time `now`. */
export interface Looking {
  readonly now: number;
  readonly noticeId: string;
}

/** What a person's own look comes to; when nobody could say, everything stays as it is. */
export function verifyCustomDomain(before: CustomDomain, look: Look, looking: Looking): readonly CustomDomainEvent[] {
  if ('unavailable' in look) refuse('dns-unavailable', { why: look.unavailable });
  return judged(before, look.texts, looking);
}

/** The daily look at a domain that its site has. When nobody could say, the site keeps it, and it is looked at sooner. */
export function proveAgain(before: CustomDomain, look: Look, looking: Looking): readonly CustomDomainEvent[] {
  if (!isDue(before, looking.now)) return [];
  if ('texts' in look) return judged(before, look.texts, looking);
  const nextCheckAt = iso(looking.now + hourMs);
  return [{ type: 'CustomDomainCheckPostponed', data: { problem: look.unavailable, nextCheckAt } }];
}

export const isDue = ({ nextCheckAt }: CustomDomain, now: number): boolean =>
  nextCheckAt !== null && Date.parse(nextCheckAt) <= now;

/** What becomes of the project that had the domain until another proved it. It is not told who did. */
export function loseCustomDomain({ domain }: CustomDomain, looking: Looking): readonly CustomDomainEvent[] {
  const problem = `Another site proved that ${domain} is its own.`;
  return [{ type: 'CustomDomainLost', data: { problem, notice: noticeOf(domain, problem, looking) } }];
}

export function removeCustomDomain({ projectId }: CustomDomain): readonly CustomDomainEvent[] {
  return [{ type: 'CustomDomainRemoved', data: { projectId } }];
}

function judged(
  { domain, token, status }: CustomDomain,
  texts: readonly string[],
  looking: Looking,
): readonly CustomDomainEvent[] {
  const checkedAt = iso(looking.now);
  if (texts.some((text) => text.trim() === token)) {
    const gained = status === 'verified' ? {} : { gained: { domain } };
    return [{ type: 'CustomDomainVerified', data: { checkedAt, nextCheckAt: iso(looking.now + dayMs), ...gained } }];
  }
  const found = texts.length === 0 ? 'has no TXT record' : 'has TXT records, but none with the expected value';
  const problem = `${txtNameOf(domain)} ${found}.`;
  const notice = noticeOf(domain, `${domain} leads to this site no longer: ${problem}`, looking);
  const data = { problem, checkedAt, nextCheckAt: null, ...(status === 'verified' ? { notice } : {}) };
  return [{ type: 'CustomDomainRefuted', data }];
}

const noticeOf = (domain: string, summary: string, { noticeId, now }: Looking): DomainNotice => ({
  id: noticeId,
  domain,
  summary,
  expiresAt: iso(now + dayMs),
});

const iso = (time: number): string => new Date(time).toISOString();
