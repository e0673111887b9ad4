import { isDeepStrictEqual } from 'node:util';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { timeOf } from '../../../kernel/field/sent-time.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { isHeld } from '../../../kernel/judging/entitlement.js';
import { refuse } from '../payments.refusals.js';
import { type Entitlement, type EntitlementEvent, type EntitlementOf, entitlements } from './entitlement.record.js';

export const statuses = ['active', 'grace', 'expired', 'suspended', 'revoked'] as const;
export type EntitlementStatus = (typeof statuses)[number];

/** What it is now, by the clock (settled question Q-S34). A suspended one may still give access until its grace ends. */
export function statusOf(
  { state, expiresAt, graceUntil }: Pick<Entitlement, 'state' | 'expiresAt' | 'graceUntil'>,
  now: number,
): EntitlementStatus {
  if (state !== 'granted') return state;
  if (expiresAt === null || now < Date.parse(expiresAt)) return 'active';
  return graceUntil !== null && now < Date.parse(graceUntil) ? 'grace' : 'expired';
}

export interface Grant {
  /** Left out: for life. */
  readonly expiresAt?: string;
  /** Counts only beside an expiry (settled question Q-S37). */
  readonly graceUntil?: string;
  readonly source?: JsonObject;
}

/** Grants anew, or whatever it was before. The same again, while it is granted so, changes nothing. */
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
  /** Never brings the end forward: payments may be told of late and in any order. */
  readonly atLeast?: boolean;
}

/**
 * Moves the expiry, of one that is over too. A suspended one stays suspended, with the grace of its suspension: that is
 * lifted by granting it again.
 */
export function extendEntitlement(
  sent: Entitlement | undefined,
  { expiresAt, graceUntil, atLeast = false }: Extension,
): readonly EntitlementEvent[] {
  const before = mustStand(sent);
  const ends = endsOf(expiresAt, graceUntil);
  if (atLeast && !endsLater(ends, before)) return [];
  const kept = before.state === 'suspended' ? before.graceUntil : ends.graceUntil;
  if (before.expiresAt === ends.expiresAt && before.graceUntil === kept) return [];
  const data = { ...ofOne(before), expiresAt: ends.expiresAt, graceUntil: kept };
  return [{ type: 'EntitlementExtended', data }];
}

/** Later by its expiry or, with the same, by its grace. Nothing ends later than one for life. */
function endsLater(one: Pick<Entitlement, 'expiresAt' | 'graceUntil'>, than: typeof one): boolean {
  if (than.expiresAt === null || one.expiresAt === null) return than.expiresAt !== null;
  if (one.expiresAt !== than.expiresAt) return one.expiresAt > than.expiresAt;
  return (one.graceUntil ?? '') > (than.graceUntil ?? '');
}

/**
 * Ends access at once, or when `graceUntil` has run out. One that gives no access any more gets none by it, and while it is
 * suspended nothing but another grace changes it.
 */
export function suspendEntitlement(
  sent: Entitlement | undefined,
  { graceUntil }: { readonly graceUntil?: string },
  now: number,
): readonly EntitlementEvent[] {
  const before = mustStand(sent);
  const until = graceUntil === undefined ? null : timeOf('graceUntil', graceUntil);
  const held = isHeld(before, now) === true;
  const isAsBefore = before.state === 'suspended' && (!held || before.graceUntil === until);
  if (isAsBefore) return [];
  return [{ type: 'EntitlementSuspended', data: { ...ofOne(before), graceUntil: held ? until : null } }];
}

export function revokeEntitlement(sent: Entitlement | undefined): readonly EntitlementEvent[] {
  return [{ type: 'EntitlementRevoked', data: ofOne(mustStand(sent)) }];
}

/** What the clock makes of it: its end is recorded once, unless it was moved meanwhile. */
export function expireEntitlement(before: Entitlement, now: number): readonly EntitlementEvent[] {
  if (before.endsAt === null || Date.parse(before.endsAt) > now) return [];
  return [{ type: 'EntitlementExpired', data: { ...ofOne(before), endedAt: before.endsAt } }];
}

export const deleteEntitlement = (before: Entitlement): readonly EntitlementEvent[] => [
  { type: 'EntitlementDeleted', data: ofOne(before) },
];

/** Settled question Q-S35. */
function mustStand(entitlement: Entitlement | undefined): Entitlement {
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
