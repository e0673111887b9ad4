import { refuse } from '../sites.refusals.js';
import type { CustomDomain, CustomDomainEvent, DomainNotice } from './custom-domain.record.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Name of the TXT record that proves a domain (Q-S16). */
export const txtNameOf = (domain: string): string => `_verify.${domain}`;

/**
 * Setting the present domain again changes nothing and keeps its token.
 * @param token new and random
 */
export function setCustomDomain(
  before: CustomDomain | undefined,
  projectId: string,
  domain: string,
  token: string,
): readonly CustomDomainEvent[] {
  return before?.domain === domain ? [] : [{ type: 'CustomDomainSet', data: { projectId, domain, token } }];
}

/** The texts found at the name, or the reason why the lookup failed. */
export type DomainLookUp = { readonly texts: readonly string[] } | { readonly unavailable: string };

/** The circumstances of a lookup made at the time `now`. */
export interface Looking {
  readonly now: number;
  readonly noticeId: string;
}

/** Decides the result of a lookup that a person asked for. If the lookup failed, nothing changes. */
export function verifyCustomDomain(
  before: CustomDomain,
  look: DomainLookUp,
  looking: Looking,
): readonly CustomDomainEvent[] {
  if ('unavailable' in look) refuse('dns-unavailable', { why: look.unavailable });
  return judged(before, look.texts, looking);
}

/**
 * Decides the result of the daily lookup of a verified domain. If the lookup failed, the site keeps the domain and the
 * next lookup is sooner.
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
 * Takes the domain from the project that had it, because another project has proved it. The notice does not name that
 * project.
 */
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
