import { isDeepStrictEqual } from 'node:util';
import { refuse } from '../access.refusals.js';
import type {
  ChannelRule,
  ChannelRules,
  EmailRules,
  ProxyRules,
  SiteRules,
  SiteRulesEvent,
} from './site-rules.record.js';

type Before = SiteRules | undefined;

export const channelLimits = { patterns: 200, characters: 2_000_000 } as const;

const beginning = (before: Before, projectId: string): readonly SiteRulesEvent[] =>
  before === undefined ? [{ type: 'SiteRulesBegun', data: { projectId } }] : [];

export function setEmailRules(before: Before, projectId: string, accessRules: EmailRules): readonly SiteRulesEvent[] {
  if (isDeepStrictEqual(before?.email, accessRules)) return [];
  return [...beginning(before, projectId), { type: 'EmailAccessRulesSet', data: { accessRules } }];
}

/** `null` clears the rules (Q-S64). */
export function setProxyRules(
  before: Before,
  projectId: string,
  accessRules: ProxyRules | null,
): readonly SiteRulesEvent[] {
  if (isDeepStrictEqual(before?.proxy ?? null, accessRules)) return [];
  return [...beginning(before, projectId), { type: 'ProxyAccessRulesSet', data: { accessRules } }];
}

export interface ChannelInput {
  readonly projectId: string;
  readonly pattern: string;
  readonly accessRules: ChannelRules;
  readonly description?: string;
  readonly sortOrder?: number;
}

/** An omitted description or sort order remains as it is. */
export function setChannelRules(before: Before, sent: ChannelInput): readonly SiteRulesEvent[] {
  const { projectId, pattern, accessRules } = sent;
  const known = before?.channels.find((rule) => rule.pattern === pattern);
  const rule: ChannelRule = {
    pattern,
    accessRules,
    description: sent.description ?? known?.description ?? null,
    sortOrder: sent.sortOrder ?? known?.sortOrder ?? 0,
  };
  if (isDeepStrictEqual(known, rule)) return [];
  const others = (before?.channels ?? []).filter((one) => one !== known);
  if (others.length >= channelLimits.patterns) refuse('channel-rules-full', { most: channelLimits.patterns });
  const characters = JSON.stringify([...others, rule]).length;
  if (characters > channelLimits.characters) refuse('channel-rules-too-large', { most: channelLimits.characters });
  return [...beginning(before, projectId), { type: 'ChannelAccessRulesSet', data: rule }];
}

export function deleteChannelRules(before: Before, pattern: string): readonly SiteRulesEvent[] {
  const known = before?.channels.some((rule) => rule.pattern === pattern);
  if (!known) refuse('channel-rules-not-found', { pattern });
  return [{ type: 'ChannelAccessRulesDeleted', data: { pattern } }];
}

export function setGuestAccess(before: Before, projectId: string, enabled: boolean): readonly SiteRulesEvent[] {
  if ((before?.guestAccess ?? false) === enabled) return [];
  return [...beginning(before, projectId), { type: 'RealtimeGuestAccessSet', data: { enabled } }];
}

export function endSiteRules({ projectId }: SiteRules): readonly SiteRulesEvent[] {
  return [{ type: 'SiteRulesEnded', data: { projectId } }];
}
