import { isDeepStrictEqual } from 'node:util';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { timeOf } from '../../../kernel/field/sent-time.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { isHeld } from '../../../kernel/judging/entitlement.js';
import { refuse } from '../payments.refusals.js';
import { type Entitlement, type EntitlementEvent, type EntitlementOf, entitlements } from './entitlement.record.js';

export const statuses = ['active', 'grace', 'expired', 'suspended', 'revoked'] as const;
export type EntitlementStatus = (typeof statuses)[number];

/**
 * Returns the status at the time `now` (settled question Q-S34). A suspended entitlement may still give access until
 * `graceUntil`.
 */
export function entitlementStatus(
  { state, expiresAt, graceUntil }: Pick<Entitlement, 'state' | 'expiresAt' | 'graceUntil'>,
  now: number,
): EntitlementStatus {
  if (state !== 'granted') return state;
  if (expiresAt === null || now < Date.parse(expiresAt)) return 'active';
  return graceUntil !== null && now < Date.parse(graceUntil) ? 'grace' : 'expired';
}

export interface Grant {
  /** If omitted, the entitlement never expires. */
  readonly expiresAt?: string;
  /**
   * End of the grace period, which must not be before the expiry. Has no effect without an expiry (settled question
   * Q-S37).
   */
  readonly graceUntil?: string;
  readonly source?: JsonObject;
}

/**
 * Grants the entitlement, even if it is suspended or revoked. Records nothing if it is already granted with the same
 * terms.
 */
export function grantEntitlement(
  before: Entitlement | undefined,
  of: EntitlementOf,
  { expiresAt, graceUntil, source = null as never }: Grant,
): readonly EntitlementEvent[] {
  const data = { ...of, ...endsOf(expiresAt, graceUntil), source: source as JsonObject | null };
  if (before === undefined) return [{ type: 'EntitlementGranted', data }];
  const same = before.state === 'granted' && isDeepStrictEqual(granted(before), granted(data));
  return same ? [] : [{ type: 'EntitlementGrantedAgain', data }];
}

const granted = ({ expiresAt, graceUntil, source }: Pick<Entitlement, 'expiresAt' | 'graceUntil' | 'source'>) => ({
  expiresAt,
  graceUntil,
  source,
});

export interface Extension {
  readonly expiresAt: string;
  readonly graceUntil?: string;
  /**
   * If true, an earlier end is ignored. Payments may be reported late and in any order, and a late report must not
   * shorten access.
   */
  readonly atLeast?: boolean;
}

/**
 * Sets another expiry, even if the entitlement has expired already. A suspended entitlement stays suspended with its
 * `graceUntil`, until it is granted again.
 */
export function extendEntitlement(
  sent: Entitlement | undefined,
  { expiresAt, graceUntil, atLeast = false }: Extension,
): readonly EntitlementEvent[] {
  const before = mustNotBeRevoked(sent);
  const ends = endsOf(expiresAt, graceUntil);
  if (atLeast && !endsLater(ends, before)) return [];
  const end = before.state === 'suspended' ? before.graceUntil : ends.graceUntil;
  if (before.expiresAt === ends.expiresAt && before.graceUntil === end) return [];
  const data = { ...ofOne(before), expiresAt: ends.expiresAt, graceUntil: end };
  return [{ type: 'EntitlementExtended', data }];
}

/**
 * Whether `one` ends later than `than`, by expiry or, if that is equal, by grace. An entitlement for life ends last.
 */
function endsLater(one: Pick<Entitlement, 'expiresAt' | 'graceUntil'>, than: typeof one): boolean {
  if (than.expiresAt === null || one.expiresAt === null) return than.expiresAt !== null;
  if (one.expiresAt !== than.expiresAt) return one.expiresAt > than.expiresAt;
  return (one.graceUntil ?? '') > (than.graceUntil ?? '');
}

/**
 * Ends access at once, or at `graceUntil`. If the entitlement gives no access now, a `graceUntil` does not give it
 * access again. If it is already suspended, records a change only if it still gives access and `graceUntil` differs.
 */
export function suspendEntitlement(
  sent: Entitlement | undefined,
  { graceUntil }: { readonly graceUntil?: string },
  now: number,
): readonly EntitlementEvent[] {
  const before = mustNotBeRevoked(sent);
  const until = graceUntil === undefined ? null : timeOf('graceUntil', graceUntil);
  const hasAccess = isHeld(before, now) === true;
  const isAsBefore = before.state === 'suspended' && (!hasAccess || before.graceUntil === until);
  if (isAsBefore) return [];
  return [{ type: 'EntitlementSuspended', data: { ...ofOne(before), graceUntil: hasAccess ? until : null } }];
}

export function revokeEntitlement(sent: Entitlement | undefined): readonly EntitlementEvent[] {
  return [{ type: 'EntitlementRevoked', data: ofOne(mustNotBeRevoked(sent)) }];
}

/** Records that the entitlement has ended. Records nothing if the end was moved or is already recorded. */
export function expireEntitlement(before: Entitlement, now: number): readonly EntitlementEvent[] {
  if (before.endsAt === null || Date.parse(before.endsAt) > now) return [];
  return [{ type: 'EntitlementExpired', data: { ...ofOne(before), endedAt: before.endsAt } }];
}

export const deleteEntitlement = (before: Entitlement): readonly EntitlementEvent[] => [
  { type: 'EntitlementDeleted', data: ofOne(before) },
];

/** Refuses if the entitlement is revoked or does not exist (Q-S35). */
function mustNotBeRevoked(entitlement: Entitlement | undefined): Entitlement {
  if (entitlement === undefined) return entitlements.missing();
  if (entitlement.state === 'revoked') return refuse('entitlement-revoked', { key: entitlement.key });
  return entitlement;
}

function endsOf(sentExpiry: string | undefined, sentGrace: string | undefined) {
  const graceUntil = sentGrace === undefined ? null : timeOf('graceUntil', sentGrace);
  if (sentExpiry === undefined) return { expiresAt: null, graceUntil: null };
  const expiresAt = timeOf('expiresAt', sentExpiry);
  if (graceUntil !== null && graceUntil < expiresAt) {
    return refuseInput([{ path: 'graceUntil', message: 'must not be before expiresAt' }]);
  }
  return { expiresAt, graceUntil };
}

const ofOne = ({ projectId, appUserId, key }: EntitlementOf): EntitlementOf => ({ projectId, appUserId, key });
