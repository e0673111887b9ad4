import { refuse } from '../sites.refusals.js';
import type { CustomDomain, CustomDomainEvent, DomainNotice } from './custom-domain.record.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export const txtNameOf = (domain: string): string => `_verify.${domain}`;

/** Setting the same domain again changes nothing, so the token stays the same. */
export function setCustomDomain(
  before: CustomDomain | undefined,
  projectId: string,
  domain: string,
  token: string,
): readonly CustomDomainEvent[] {
  return before?.domain === domain ? [] : [{ type: 'CustomDomainSet', data: { projectId, domain, token } }];
}

export type DomainLookUp = { readonly texts: readonly string[] } | { readonly unavailable: string };

export interface Looking {
  readonly now: number;
  readonly noticeId: string;
}

export function verifyCustomDomain(
  before: CustomDomain,
  look: DomainLookUp,
  looking: Looking,
): readonly CustomDomainEvent[] {
  if ('unavailable' in look) refuse('dns-unavailable', { why: look.unavailable });
  return judged(before, look.texts, looking);
}

/** If the lookup failed, the site keeps the domain, and the next lookup is an hour later. */
export function proveAgain(before: CustomDomain, look: DomainLookUp, looking: Looking): readonly CustomDomainEvent[] {
  if (!isDue(before, looking.now)) return [];
  if ('texts' in look) return judged(before, look.texts, looking);
  const nextCheckAt = iso(looking.now + hourMs);
  return [{ type: 'CustomDomainCheckPostponed', data: { problem: look.unavailable, nextCheckAt } }];
}

export const isDue = ({ nextCheckAt }: CustomDomain, now: number): boolean =>
  nextCheckAt !== null && Date.parse(nextCheckAt) <= now;

/** The notice does not name the other project. */
export function loseCustomDomain({ domain }: CustomDomain, looking: Looking): readonly CustomDomainEvent[] {
  const problem = `Another site proved that it owns ${domain}.`;
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
  const notice = noticeOf(domain, `${domain} no longer leads to this site: ${problem}`, looking);
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
