import { instantOf } from '../../../kernel/condition/instant.js';
import type { SiteVisitor } from '../../app-users/site-pass/site-passes.api.js';

/**
 * When the clock alone may change what somebody has a right to: the session ends, or an entitlement. Infinity: never.
 * `lookedAt`: when this was known of them. Milliseconds since 1970.
 */
export function nextChangeOf({ until, visitor: { person } }: SiteVisitor, lookedAt: number): number {
  const ends = (person?.entitlements ?? []).flatMap(({ expiresAt, graceUntil }) => [expiresAt, graceUntil]);
  const instants = ends.map((end) => (end === null ? undefined : instantOf(end)));
  const coming = [until, ...instants].filter((instant) => instant !== undefined && instant > lookedAt);
  return Math.min(Number.POSITIVE_INFINITY, ...(coming as number[]));
}
