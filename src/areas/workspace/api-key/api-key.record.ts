import { membersBehind } from '../../../kernel/actors/members-behind.js';
import type { CallerKind } from '../../../kernel/callers/caller.js';
import type { DomainEvent, RecordedEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import { refuse } from '../workspace.refusals.js';

/** The fields that a renewal replaces. */
export type Renewal = Required<Pick<ApiKeyFacts, 'keyHash' | 'hint' | 'expiresAt' | 'refreshHash' | 'refreshUntil'>>;

interface ApiKeyFacts {
  readonly name: string;
  readonly kind: CallerKind;
  /** The member whose rights the key has, for keys of a person or connection. */
  readonly memberId: string | null;
  readonly agentId: string | null;
  readonly readOnly: boolean;
  readonly neverDeletes: boolean;
  readonly expiresAt: string | null;
  /** The areas whose operations the key may call. If omitted, it may call all. */
  readonly areas?: readonly string[];
  /** Ids of the functions that the key may run. If omitted, it may run all. */
  readonly functions?: readonly string[];
  /**
   * The name of the AI client that received the key when a person signed in to it. If omitted, the key was made with
   * createApiKey.
   */
  readonly client?: string;
  /** A digest of the client's id. */
  readonly clientId?: string;
  /** A keyed digest of the refresh token, and when that token expires. */
  readonly refreshHash?: string;
  readonly refreshUntil?: string;
  /**
   * Latest expiry of a client's key: that of the key with which the person signed in. Omitted if that never expires.
   */
  readonly until?: string;
  /** A keyed digest of the key (`Vault.derive`). The key itself is not stored. */
  readonly keyHash: string;
  /** The key's last four characters, so that people can tell keys apart. */
  readonly hint: string;
}

type WholeKeyFacts = ApiKeyFacts & { readonly areas?: never; readonly functions?: never };

export type ApiKeyEvent =
  | DomainEvent<'ApiKeyCreated', WholeKeyFacts>
  /**
   * A separate type, so that older versions, which do not know restricted keys, ignore the event and refuse the key.
   */
  | DomainEvent<'NarrowedApiKeyCreated', ApiKeyFacts>
  /** The key of an AI client was replaced, and the refresh token used for that was spent. */
  | DomainEvent<'ApiKeyRenewed', Renewal>
  | DomainEvent<'ApiKeyRevoked', { readonly reason: string }>;

/** Recorded separately from the key's history, at most every ten minutes. Only the last use is relevant. */
export type ApiKeyUseEvent = DomainEvent<'ApiKeyUsed', object>;

export interface ApiKey extends Document, ApiKeyFacts {
  readonly createdAt: string;
  readonly createdBy: string;
  /**
   * Ids of the members who created the key, including those who created the key that it was created with. Empty if the
   * operator created it.
   */
  readonly makers: readonly string[];
  readonly revokedAt: string | null;
  readonly endedBecause: string | null;
  /** Digest of the refresh token that was used last, and when. */
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

/** Returns the event with which a key begins. */
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
  // Revoked keys stay listed for a while but are not counted towards the limit.
  limited: { revokedAt: null },
  undoing: 'A revoked key never works again; revoke what should not be, and create a new one.',
  missing: () => refuse('api-key-not-found'),
  collection: {
    name: 'apiKeys',
    // Restricted keys need a new version of the read model, because older versions omit them.
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

/** When a key was last used, by key id. */
export interface ApiKeyUse extends Document {
  readonly lastUsedAt: string;
}
