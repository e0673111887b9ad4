import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Condition } from '../../../kernel/condition/condition.js';
import { channelDecision, publishDecision } from './channel-access.api.js';
import { type ChannelRule, type SiteRules, siteRules } from './site-rules.record.js';

const everybody: Condition = { type: 'public', scope: 'everywhere' };
const signedIn: Condition = { type: 'authenticated' };
const rule = (pattern: string, sortOrder: number, subscribe: Condition, publish?: Condition): ChannelRule => ({
  pattern,
  sortOrder,
  description: null,
  accessRules: { subscribe, ...(publish && { publish }) },
});
const rules = (...channels: readonly ChannelRule[]): SiteRules => ({
  id: 'proj_1',
  workspaceId: 'ws_1',
  projectId: 'proj_1',
  email: null,
  proxy: null,
  channels,
  guestAccess: false,
});
const opens = (before: SiteRules, after: SiteRules) => siteRules.opens?.(before, after);

describe('rules of a site let in people without a sign-in', () => {
  it('by mail and by the proxy', () => {
    expect(opens(rules(), { ...rules(), email: { send: everybody } })).toBe(true);
    expect(opens({ ...rules(), email: { send: everybody } }, { ...rules(), proxy: { execute: everybody } })).toBe(true);
    expect(opens({ ...rules(), proxy: { execute: everybody } }, rules())).toBe(false);
  });

  it('by a pattern that now decides before another', () => {
    const all = (sortOrder: number) => rule('*', sortOrder, everybody);
    const orders = (sortOrder: number) => rule('orders:*', sortOrder, signedIn);
    expect(opens(rules(orders(1), all(2)), rules(all(2), orders(3)))).toBe(true);
    expect(opens(rules(all(1), orders(2)), rules(all(1), orders(0)))).toBe(false);
    expect(opens(rules(all(1)), rules(all(1), orders(0)))).toBe(false);
    expect(opens(rules(all(1)), rules(all(1), orders(2)))).toBe(false);
  });

  it('by a pattern that now decides before one with {self} and the same rule', () => {
    const [own, all] = [rule('inbox:{self}', 1, everybody), rule('inbox:*', 2, everybody)];
    expect(opens(rules(own, all), rules(all, { ...own, sortOrder: 3 }))).toBe(true);
  });

  it('not by the order of patterns that match no common channel', () => {
    const [news, orders] = [rule('news', 2, everybody), rule('orders:*', 1, signedIn)];
    expect(opens(rules(orders, news), rules(orders, { ...news, sortOrder: 0 }))).toBe(false);
  });

  it('if a change of one pattern admits anybody to a channel by a rule that did not admit them before', () => {
    const conditions = fc.constantFrom(everybody, signedIn);
    const made = fc
      .tuple(
        fc.constantFrom('*', 'a', 'a:*', 'a:b', 'a:{self}', 'ab*'),
        fc.integer({ min: 0, max: 4 }),
        conditions,
        fc.option(conditions, { nil: undefined }),
      )
      .map((parts) => rule(...parts));
    const several = fc.uniqueArray(made, { selector: ({ pattern }) => pattern, maxLength: 6 });
    const decisions = [
      ['subscribe', channelDecision],
      ['publish', publishDecision],
    ] as const;
    fc.assert(
      fc.property(several, made, fc.constantFrom('a', 'a:b', 'a:c', 'ab', 'ab:a', 'c'), (channels, sent, channel) => {
        const before = rules(...channels);
        const after = rules(...channels.filter(({ pattern }) => pattern !== sent.pattern), sent);
        const isOpened = decisions.some(([right, decisionOf]) => {
          const admits = (known: SiteRules) => {
            const decision = decisionOf(known, channel, { kind: 'nobody' });
            return decision.is === 'ruled' && decision.rule.accessRules[right] === everybody;
          };
          return admits(after) && !admits(before);
        });
        fc.pre(isOpened);
        expect(opens(before, after)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
