import { membersBehind } from '../../../kernel/actors/members-behind.js';
import type { CallerKind } from '../../../kernel/callers/caller.js';
import type { DomainEvent, RecordedEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import { refuse } from '../workspace.refusals.js';

export type Renewal = Required<Pick<ApiKeyFacts, 'keyHash' | 'hint' | 'expiresAt' | 'refreshHash' | 'refreshUntil'>>;

interface ApiKeyFacts {
  readonly name: string;
  readonly kind: CallerKind;
  /** Null unless it is the key of a person or connection. */
  readonly memberId: string | null;
  readonly agentId: string | null;
  readonly readOnly: boolean;
  readonly neverDeletes: boolean;
  readonly expiresAt: string | null;
  /** If omitted, the key may call operations of all areas. */
  readonly areas?: readonly string[];
  /** If omitted, the key may run all functions. */
  readonly functions?: readonly string[];
  /** Name of the AI client to which a person signed in. Omitted for all other keys. */
  readonly client?: string;
  readonly clientId?: string;
  /** Keyed digest of the refresh token, which expires at `refreshUntil`. */
  readonly refreshHash?: string;
  readonly refreshUntil?: string;
  /** A client's key cannot be renewed beyond this time. If omitted, there is no such limit. */
  readonly until?: string;
  /** Keyed digest of the key (`Vault.derive`). The key is not stored. */
  readonly keyHash: string;
  readonly hint: string;
}

type WholeKeyFacts = ApiKeyFacts & { readonly areas?: never; readonly functions?: never };

export type ApiKeyEvent =
  | DomainEvent<'ApiKeyCreated', WholeKeyFacts>
  /**
   * Older versions of the service ignore this event type, so they refuse a restricted key instead of treating it as
   * unrestricted.
   */
  | DomainEvent<'NarrowedApiKeyCreated', ApiKeyFacts>
  /** After a renewal, the refresh token that was used for it can be used again for one minute only. */
  | DomainEvent<'ApiKeyRenewed', Renewal>
  | DomainEvent<'ApiKeyRevoked', { readonly reason: string }>;

/** Recorded in a separate stream, by each process at most every ten minutes. Only the last event matters. */
export type ApiKeyUseEvent = DomainEvent<'ApiKeyUsed', object>;

export interface ApiKey extends Document, ApiKeyFacts {
  readonly createdAt: string;
  readonly createdBy: string;
  /**
   * Members who created the key. If they used another key to create it, also the members who created that other key.
   * Empty if the operator created the key.
   */
  readonly makers: readonly string[];
  readonly revokedAt: string | null;
  readonly endedBecause: string | null;
  /** Digest of the refresh token with which the key was last renewed. */
  readonly spentHash?: string;
  readonly renewedAt?: string;
}

function begun(
  { data, metadata }: Pick<RecordedEvent<string, ApiKeyFacts>, 'data' | 'metadata'>,
  ids: Document,
): ApiKey {
  return {
    ...ids,
    ...data,
    createdAt: metadata.at,
    createdBy: metadata.actor.name,
    makers: membersBehind(metadata.actor),
    revokedAt: null,
    endedBecause: null,
  };
}

export function keyCreated({ areas, functions, ...whole }: ApiKeyFacts): ApiKeyEvent {
  if (areas === undefined && functions === undefined) return { type: 'ApiKeyCreated', data: whole };
  const reach = { ...(areas && { areas }), ...(functions && { functions }) };
  return { type: 'NarrowedApiKeyCreated', data: { ...whole, ...reach } };
}

export const apiKeys = record<ApiKey, ApiKeyEvent>()({
  category: 'apiKey',
  inner: ['keyHash', 'refreshHash', 'spentHash', 'clientId'],
  auditedFor: 'keys.manage',
  shownBy: 'workspace/listApiKeys',
  // Revoked keys are still listed but do not count towards the limit.
  limited: { revokedAt: null },
  undoing: 'A revoked key never works again; create a new one.',
  missing: () => refuse('api-key-not-found'),
  collection: {
    name: 'apiKeys',
    // Version 3 was introduced together with restricted keys, because read models of earlier versions omit such keys.
    version: 3,
    indexes: [{ fields: ['keyHash'], unique: true }, { fields: ['workspaceId', 'createdAt'] }],
  },
  begins: {
    ApiKeyCreated: begun,
    NarrowedApiKeyCreated: begun,
  },
  continues: {
    ApiKeyRenewed: ({ refreshHash, ...key }, { data, metadata }) => ({
      ...key,
      ...data,
      ...(refreshHash === undefined ? {} : { spentHash: refreshHash }),
      renewedAt: metadata.at,
    }),
    ApiKeyRevoked: (key, { data, metadata }) =>
      key.revokedAt === null ? { ...key, revokedAt: metadata.at, endedBecause: data.reason } : key,
  },
});

export interface ApiKeyUse extends Document {
  readonly lastUsedAt: string;
}
