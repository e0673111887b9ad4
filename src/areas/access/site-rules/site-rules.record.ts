import type { Condition } from '../../../kernel/condition/condition.js';
import type { Doors } from '../../../kernel/condition/opens-access.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import { refuse } from '../access.refusals.js';
import { byOrder, overlap, self } from './channel-pattern.js';

export interface EmailRules {
  readonly send?: Condition;
}

export interface ProxyRules {
  readonly execute?: Condition;
}

export interface ChannelRules {
  readonly subscribe?: Condition;
  /** If omitted, only functions and members of the workspace may publish. */
  readonly publish?: Condition;
}

export interface ChannelRule {
  readonly pattern: string;
  readonly accessRules: ChannelRules;
  readonly description: string | null;
  /** Rules are tried in ascending order. The first one whose pattern matches applies. */
  readonly sortOrder: number;
}

export type SiteRulesEvent =
  | DomainEvent<'SiteRulesBegun', { readonly projectId: string }>
  | DomainEvent<'EmailAccessRulesSet', { readonly accessRules: EmailRules }>
  | DomainEvent<'ProxyAccessRulesSet', { readonly accessRules: ProxyRules | null }>
  | DomainEvent<'ChannelAccessRulesSet', ChannelRule>
  | DomainEvent<'ChannelAccessRulesDeleted', { readonly pattern: string }>
  | DomainEvent<'RealtimeGuestAccessSet', { readonly enabled: boolean }>
  | DomainEvent<'SiteRulesEnded', { readonly projectId: string }>;

export interface SiteRules extends Document {
  readonly projectId: string;
  /** `null` if no rules are saved. */
  readonly email: EmailRules | null;
  readonly proxy: ProxyRules | null;
  readonly channels: readonly ChannelRule[];
  /** Whether guests may listen to their own channels, `guest:{id}:*`. */
  readonly guestAccess: boolean;
}

export const siteRules = record<SiteRules, SiteRulesEvent>()({
  category: 'siteRules',
  auditedFor: 'site.read',
  shownBy: 'site/getChannelAccessRules',
  of: { project: 'projectId' },
  doors: ({ channels }) => [
    ({ email }) => email?.send,
    ({ proxy }) => proxy?.execute,
    ...channelDoors(channels.map(({ pattern }) => pattern)),
  ],
  undoing: 'Set the rules again with the operation that set them; getStateAt returns the earlier rules.',
  missing: () => refuse('site-not-found'),
  collection: { name: 'siteRules', version: 1, indexes: [{ fields: ['workspaceId', 'projectId'] }] },
  begins: {
    SiteRulesBegun: ({ data: { projectId } }, ids) => ({
      ...ids,
      projectId,
      email: null,
      proxy: null,
      channels: [],
      guestAccess: false,
    }),
  },
  continues: {
    EmailAccessRulesSet: (rules, { data: { accessRules } }) => ({ ...rules, email: accessRules }),
    ProxyAccessRulesSet: (rules, { data: { accessRules } }) => ({ ...rules, proxy: accessRules }),
    ChannelAccessRulesSet: (rules, { data }) => ({
      ...rules,
      channels: [...without(rules.channels, data.pattern), data],
    }),
    ChannelAccessRulesDeleted: (rules, { data: { pattern } }) => ({
      ...rules,
      channels: without(rules.channels, pattern),
    }),
    RealtimeGuestAccessSet: (rules, { data: { enabled } }) => ({ ...rules, guestAccess: enabled }),
    SiteRulesEnded: () => undefined,
  },
});

const without = (channels: readonly ChannelRule[], pattern: string) =>
  channels.filter((rule) => rule.pattern !== pattern);

/** Where two patterns overlap, the first decides, so another order can let people in without a new rule. */
function channelDoors(patterns: readonly string[]): ReturnType<Doors<SiteRules>> {
  const pairs = patterns.flatMap((one, at) =>
    patterns.slice(at + 1).flatMap((other) => (overlap(one, other) ? [[one, other]] : [])),
  );
  return [...patterns.map((pattern) => [pattern]), ...pairs].flatMap((of) =>
    (['subscribe', 'publish'] as const).map((right) => ({ channels }: SiteRules) => {
      const [first] = byOrder(channels.filter(({ pattern }) => of.includes(pattern)));
      return first && admitted(first, right);
    }),
  );
}

/** With {self}, the same condition admits to fewer channels. */
const admitted = ({ pattern, accessRules }: ChannelRule, right: keyof ChannelRules): unknown =>
  pattern.includes(self) ? { [pattern]: accessRules[right] } : accessRules[right];
