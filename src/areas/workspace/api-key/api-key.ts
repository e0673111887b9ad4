import type { CallerKind, Role } from '../../../kernel/callers/caller.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { type InvalidField } from '../../../kernel/refusals/refusal.js';
import { isAbove } from '../rank.js';
import { refuse } from '../workspace.refusals.js';
import { type ApiKey, type ApiKeyEvent, keyCreated } from './api-key.record.js';
import { EndingReason } from './key-makers.js';

export interface ApiKeyInput {
  readonly name: string;
  readonly kind: CallerKind;
  readonly memberId?: string;
  readonly agentId?: string;
  readonly readOnly?: boolean;
  readonly neverDeletes?: boolean;
  readonly expiresAt?: string;
  readonly areas?: readonly string[];
  readonly functions?: readonly string[];
}

export interface Holder {
  readonly memberId: string | null;
  readonly agentId: string | null;
}

export interface Asker {
  readonly id: string;
  readonly role: Role;
  readonly neverDeletes: boolean;
  /** Expiry of the caller's key. If omitted, that key never expires. */
  readonly expiresAt?: string | undefined;
  readonly areas?: readonly string[] | undefined;
  readonly functions?: readonly string[] | undefined;
}

/** Keys of automations and flows act for neither a member nor an agent. */
export function holderOf({ kind, memberId, agentId }: ApiKeyInput, asker: Pick<Asker, 'id'>): Holder {
  switch (kind) {
    case 'person':
    case 'connection':
      if (agentId !== undefined) refuseInput([notWith('agentId', kind)]);
      return { memberId: memberId ?? asker.id, agentId: null };
    case 'agent':
      if (memberId !== undefined) refuseInput([notWith('memberId', kind)]);
      if (agentId === undefined) return refuseInput([{ path: 'agentId', message: 'is required for the kind agent' }]);
      return { memberId: null, agentId };
    case 'automation':
    case 'flow':
      if (memberId !== undefined) refuseInput([notWith('memberId', kind)]);
      if (agentId !== undefined) refuseInput([notWith('agentId', kind)]);
      return { memberId: null, agentId: null };
  }
}

/**
 * The new key may not act for a member with a higher role than the caller, may not delete if the caller's key may not,
 * and may neither expire later than that key nor have fewer restrictions.
 * @param behind role of the member that the key, or its agent, acts for
 */
export function createApiKey(
  input: ApiKeyInput,
  holder: Holder,
  behind: Role | undefined,
  sealed: Pick<ApiKey, 'keyHash' | 'hint'>,
  asker: Asker,
  at: string,
): readonly ApiKeyEvent[] {
  const { name, kind, readOnly = false, neverDeletes = false } = input;
  if (behind !== undefined && isAbove(behind, asker.role)) refuse('key-above-own-role', { role: behind });
  if (asker.neverDeletes && !neverDeletes) refuse('key-must-never-delete');
  const expiresAt = endOfNewKey(input.expiresAt === undefined ? null : later(input.expiresAt, at), asker.expiresAt);
  const reach = narrowed(input, asker);
  return [keyCreated({ name, kind, ...holder, readOnly, neverDeletes, expiresAt, ...reach, ...sealed })];
}

/** A client that did not receive the response may repeat the renewal for this long. */
const repeatableMs = 60_000;

/** `spent` means that a token is used again more than a minute after its first use, so two clients have it. */
export type Unrenewable = 'unknown' | 'spent';

export function whyNotRenewed(key: ApiKey, hash: string, at: string): Unrenewable | undefined {
  const { revokedAt, refreshHash, refreshUntil = '', spentHash, renewedAt = '' } = key;
  if (revokedAt !== null || refreshUntil <= at) return 'unknown';
  if (refreshHash === hash) return undefined;
  if (spentHash !== hash) return 'unknown';
  return Date.parse(at) - Date.parse(renewedAt) <= repeatableMs ? undefined : 'spent';
}

/** @param behind role of the member that the key, or its agent, acts for; if undefined, no role is checked */
export function revokeApiKey(
  key: ApiKey,
  reason: EndingReason,
  behind?: Role,
  by: Role = 'owner',
): readonly ApiKeyEvent[] {
  if (behind !== undefined && isAbove(behind, by)) refuse('key-above-own-role', { role: behind });
  return key.revokedAt === null ? [{ type: 'ApiKeyRevoked', data: { reason } }] : [];
}

/**
 * By default, a new key expires together with the key that creates it.
 * @throws Refusal key-outlives-own
 */
function endOfNewKey(requested: string | null, own: string | undefined): string | null {
  if (own === undefined) return requested;
  if (requested !== null && requested > own) refuse('key-outlives-own', { expiresAt: own });
  return requested ?? own;
}

/**
 * By default, a new key has the restrictions of the key that creates it.
 * @throws Refusal key-reaches-further
 */
function narrowed(requested: ApiKeyInput, own: Asker): Pick<ApiKeyInput, 'areas' | 'functions'> {
  const within = (one?: readonly string[], all?: readonly string[]) => {
    if (all === undefined) return one;
    if (one?.every((name) => all.includes(name)) === false) refuse('key-reaches-further');
    return one ?? all;
  };
  const areas = within(requested.areas, own.areas);
  const functions = within(requested.functions, own.functions);
  return { ...(areas && { areas }), ...(functions && { functions }) };
}

function later(expiresAt: string, at: string): string {
  const ms = Date.parse(expiresAt);
  if (Number.isNaN(ms)) refuseInput([{ path: 'expiresAt', message: 'must be an ISO 8601 date or date-time' }]);
  if (ms <= Date.parse(at)) refuseInput([{ path: 'expiresAt', message: 'must be in the future' }]);
  return new Date(ms).toISOString();
}

const notWith = (path: string, kind: CallerKind): InvalidField => ({
  path,
  message: `must not be sent for the kind ${kind}`,
});
