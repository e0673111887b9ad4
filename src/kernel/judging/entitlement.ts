import { instantOf } from '../condition/instant.js';
import type { EntitlementFacts } from './facts.js';

/**
 * Returns undefined if the dates are invalid (Sites API, States). Access ends exactly at the end time. A suspended
 * entitlement without `graceUntil` ends at once. `graceUntil` has no effect on a granted entitlement that never
 * expires.
 */
export function isHeld({ state, expiresAt, graceUntil }: EntitlementFacts, now: number): boolean | undefined {
  switch (state) {
    case 'revoked':
      return false;
    case 'suspended':
      return graceUntil === null ? false : isBefore(now, graceUntil);
    case 'granted': {
      if (expiresAt === null) return true;
      const isCurrent = isBefore(now, expiresAt);
      return isCurrent === false && graceUntil !== null ? isBefore(now, graceUntil) : isCurrent;
    }
  }
}

function isBefore(now: number, end: string): boolean | undefined {
  const instant = instantOf(end);
  return instant === undefined ? undefined : now < instant;
}
