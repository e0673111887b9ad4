import { isDeepStrictEqual } from 'node:util';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { timeOf } from '../../../kernel/field/sent-time.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { isHeld } from '../../../kernel/judging/entitlement.js';
import { refuse } from '../payments.refusals.js';
import {
  type Entitlement,
  type EntitlementEvent,
  type EntitlementOf,
  entitlements,
  graceWithin,
} from './entitlement.record.js';

export const statuses = ['active', 'grace', 'expired', 'suspended', 'revoked'] as const;
export type EntitlementStatus = (typeof statuses)[number];

/**
 * The status of a suspended entitlement is `suspended`, although it gives access until `graceUntil` (settled question
 * Q-S34).
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
  readonly expiresAt?: string;
  /**
   * End of the grace period, which must not be before the expiry. Has no effect without an expiry (settled question
   * Q-S37).
   */
  readonly graceUntil?: string;
  readonly source?: JsonObject;
}

/**
 * Grants the entitlement again if it is suspended, revoked or granted with other terms. Otherwise a repeated grant
 * records nothing.
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
   * If true, an end earlier than the present one is ignored, because payments are reported in any order and a late
   * report must not shorten access.
   */
  readonly atLeast?: boolean;
}

/**
 * Extends the entitlement even if it has expired. If it is suspended, it remains suspended and its `graceUntil` does
 * not change.
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

function endsLater(one: Pick<Entitlement, 'expiresAt' | 'graceUntil'>, than: typeof one): boolean {
  if (than.expiresAt === null || one.expiresAt === null) return than.expiresAt !== null;
  if (one.expiresAt !== than.expiresAt) return one.expiresAt > than.expiresAt;
  return (one.graceUntil ?? '') > (than.graceUntil ?? '');
}

/**
 * Ends access at once, or at `graceUntil`, but no later than it would end without the suspension. Ignores `graceUntil`
 * if the entitlement gives no access now.
 */
export function suspendEntitlement(
  sent: Entitlement | undefined,
  { graceUntil }: { readonly graceUntil?: string },
  now: number,
): readonly EntitlementEvent[] {
  const before = mustNotBeRevoked(sent);
  const until = graceWithin(before, graceUntil === undefined ? null : timeOf('graceUntil', graceUntil));
  const hasAccess = isHeld(before, now) === true;
  const isAsBefore = before.state === 'suspended' && (!hasAccess || before.graceUntil === until);
  if (isAsBefore) return [];
  return [{ type: 'EntitlementSuspended', data: { ...ofOne(before), graceUntil: hasAccess ? until : null } }];
}

export function revokeEntitlement(sent: Entitlement | undefined): readonly EntitlementEvent[] {
  return [{ type: 'EntitlementRevoked', data: ofOne(mustNotBeRevoked(sent)) }];
}

export function expireEntitlement(before: Entitlement, now: number): readonly EntitlementEvent[] {
  if (before.endsAt === null || Date.parse(before.endsAt) > now) return [];
  return [{ type: 'EntitlementExpired', data: { ...ofOne(before), endedAt: before.endsAt } }];
}

export const deleteEntitlement = (before: Entitlement): readonly EntitlementEvent[] => [
  { type: 'EntitlementDeleted', data: ofOne(before) },
];

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
