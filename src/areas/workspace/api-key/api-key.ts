import { refuseInput } from '../../../engine/operation/validation.js';
import type { CallerKind, Role } from '../../../kernel/caller.js';
import { type InvalidField, refuse } from '../../../kernel/refusal.js';
import type { LostMaker } from '../key-makers.js';
import { isAbove } from '../rank.js';
import type { ApiKey, ApiKeyEvent } from './api-key.record.js';

export interface ApiKeyInput {
  readonly name: string;
  readonly kind: CallerKind;
  readonly memberId?: string;
  readonly agentId?: string;
  readonly readOnly?: boolean;
  readonly neverDeletes?: boolean;
  readonly expiresAt?: string;
}

/** Who a key will act as, by id. */
export interface Holder {
  readonly memberId: string | null;
  readonly agentId: string | null;
}

/** Whoever asks: a role, a member, and what the key that was used may not do. */
export interface Asker {
  readonly id: string;
  readonly role: Role;
  readonly neverDeletes: boolean;
  /** When the key that was used ends; left out: never. */
  readonly expiresAt?: string | undefined;
}

/** Why a key is no longer one. */
export type EndingReason = 'asked' | 'member-removed' | 'agent-removed' | LostMaker;

/** A person and a connection carry a member's rights, an agent its own, automations and flows nobody's. */
export function holderOf({ kind, memberId, agentId }: ApiKeyInput, asker: Pick<Asker, 'id'>): Holder {
  switch (kind) {
    case 'person':
    case 'connection':
      if (agentId !== undefined) refuseInput([notWith('agentId', kind)]);
      return { memberId: memberId ?? asker.id, agentId: null };
    case 'agent':
      if (memberId !== undefined) refuseInput([notWith('memberId', kind)]);
      if (agentId === undefined) return refuseInput([{ path: 'agentId', message: 'is required with the kind agent' }]);
      return { memberId: null, agentId };
    case 'automation':
    case 'flow':
      if (memberId !== undefined) refuseInput([notWith('memberId', kind)]);
      if (agentId !== undefined) refuseInput([notWith('agentId', kind)]);
      return { memberId: null, agentId: null };
  }
}

/**
 * A key is no way up: nobody makes one that acts for a member above themselves, nor one that may delete with a key
 * that may not, nor one that outlives the key it is made with. `behind` is the role of the member that the key, or its agent, acts for.
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
  return [{ type: 'ApiKeyCreated', data: { name, kind, ...holder, readOnly, neverDeletes, expiresAt, ...sealed } }];
}

/** A key once revoked stays so. `behind` as above; left out, nobody is asked. */
export function revokeApiKey(
  key: ApiKey,
  reason: EndingReason,
  behind?: Role,
  by: Role = 'owner',
): readonly ApiKeyEvent[] {
  if (behind !== undefined && isAbove(behind, by)) refuse('key-above-own-role', { role: behind });
  return key.revokedAt === null ? [{ type: 'ApiKeyRevoked', data: { reason } }] : [];
}

/** Left out, it ends with the key that makes it. */
function endOfNewKey(wanted: string | null, own: string | undefined): string | null {
  if (own === undefined) return wanted;
  if (wanted !== null && wanted > own) refuse('key-outlives-own', { expiresAt: own });
  return wanted ?? own;
}

function later(expiresAt: string, at: string): string {
  const ms = Date.parse(expiresAt);
  if (Number.isNaN(ms)) refuseInput([{ path: 'expiresAt', message: 'must be an ISO 8601 date or date-time' }]);
  if (ms <= Date.parse(at)) refuseInput([{ path: 'expiresAt', message: 'must be in the future' }]);
  return new Date(ms).toISOString();
}

const notWith = (path: string, kind: CallerKind): InvalidField => ({
  path,
  message: `does not go with the kind ${kind}`,
});
