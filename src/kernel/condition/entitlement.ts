import type { EntitlementFacts } from './facts.js';
import { instantOf } from './instant.js';

/**
 * Whether it opens anything at this moment (Sites API, States). Undefined when its
 * dates cannot be read. An end is the first moment at which it is over.
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
