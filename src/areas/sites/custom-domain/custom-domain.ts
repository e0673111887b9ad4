import { refuse } from '../sites.refusals.js';
import type { CustomDomain, CustomDomainEvent, DomainNotice } from './custom-domain.record.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Returns the name of the TXT record that verifies a domain (Q-S16). */
export const txtNameOf = (domain: string): string => `_verify.${domain}`;

/**
 * Setting the same domain again changes nothing, so its token stays the same.
 * @param token a new random token
 */
export function setCustomDomain(
  before: CustomDomain | undefined,
  projectId: string,
  domain: string,
  token: string,
): readonly CustomDomainEvent[] {
  return before?.domain === domain ? [] : [{ type: 'CustomDomainSet', data: { projectId, domain, token } }];
}

/** The contents of the TXT records, or the reason why the lookup failed. */
export type DomainLookUp = { readonly texts: readonly string[] } | { readonly unavailable: string };

/** `now` is the time of the lookup. `noticeId` is the id of the notice, if there is one. */
export interface Looking {
  readonly now: number;
  readonly noticeId: string;
}

/**
 * Returns the events that record the result of a lookup that a person requested.
 * @throws Refusal dns-unavailable if the lookup failed
 */
export function verifyCustomDomain(
  before: CustomDomain,
  look: DomainLookUp,
  looking: Looking,
): readonly CustomDomainEvent[] {
  if ('unavailable' in look) refuse('dns-unavailable', { why: look.unavailable });
  return judged(before, look.texts, looking);
}

/**
 * Returns the events that record the result of the daily lookup of a verified domain. If the lookup failed, the site
 * keeps the domain, and the next lookup is an hour later. Returns no events if no lookup is due any more.
 */
export function proveAgain(before: CustomDomain, look: DomainLookUp, looking: Looking): readonly CustomDomainEvent[] {
  if (!isDue(before, looking.now)) return [];
  if ('texts' in look) return judged(before, look.texts, looking);
  const nextCheckAt = iso(looking.now + hourMs);
  return [{ type: 'CustomDomainCheckPostponed', data: { problem: look.unavailable, nextCheckAt } }];
}

export const isDue = ({ nextCheckAt }: CustomDomain, now: number): boolean =>
  nextCheckAt !== null && Date.parse(nextCheckAt) <= now;

/**
 * Takes the domain from a project, because another project has verified it. The notice does not name the other project.
 */
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
