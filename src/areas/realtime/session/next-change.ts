import { instantOf } from '../../../kernel/condition/instant.js';
import type { SiteVisitor } from '../../app-users/site-pass/site-passes.api.js';

/**
 * Returns when rights next change by the clock alone: the session or an entitlement expires. Infinity means never.
 * `lookedAt` is when these facts were read. Milliseconds since 1970.
 */
export function nextChangeOf({ until, visitor: { person } }: SiteVisitor, lookedAt: number): number {
  const ends = (person?.entitlements ?? []).flatMap(({ expiresAt, graceUntil }) => [expiresAt, graceUntil]);
  const instants = ends.map((end) => (end === null ? undefined : instantOf(end)));
  const coming = [until, ...instants].filter((instant) => instant !== undefined && instant > lookedAt);
  return Math.min(Number.POSITIVE_INFINITY, ...(coming as number[]));
}
