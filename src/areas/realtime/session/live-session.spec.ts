import { expect, it } from '@jest/globals';
import { person } from '../../../../test/support/conditions/condition-facts.js';
import type { SiteVisitor } from '../../app-users/site-pass/site-passes.api.js';
import { nextChangeOf } from './live-session.js';

const at = (hour: number) => Date.UTC(2030, 0, 1, hour);
const entitled = (expiresAt: number | null, graceUntil: number | null = null) => ({
  key: 'pro',
  expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  graceUntil: graceUntil === null ? null : new Date(graceUntil).toISOString(),
});
const visitor = (until: number | undefined, ...entitlements: readonly object[]) =>
  ({
    ...(until === undefined ? {} : { until }),
    visitor: { person: person({ entitlements: entitlements as never }) },
  }) as unknown as SiteVisitor;

it.each<[string, SiteVisitor, number]>([
  ['never without an end', visitor(undefined, entitled(null)), Number.POSITIVE_INFINITY],
  ['when the session ends', visitor(at(5), entitled(at(9))), at(5)],
  ['when an entitlement ends before it', visitor(at(5), entitled(null), entitled(at(3))), at(3)],
  ['when its grace ends, once it has ended', visitor(at(5), entitled(at(0), at(4))), at(4)],
  ['never for what was over when it was looked at', visitor(at(1), entitled(at(1))), Number.POSITIVE_INFINITY],
])('time alone changes the rights of a visitor %s', (_, who, next) => {
  expect(nextChangeOf(who, at(1))).toBe(next);
});

it('an anonymous visitor has no rights that end', () => {
  expect(nextChangeOf({ visitor: {} } as unknown as SiteVisitor, at(1))).toBe(Number.POSITIVE_INFINITY);
});
