import { membersBehind } from '../../../kernel/actors/members-behind.js';
import type { CallerKind } from '../../../kernel/callers/caller.js';
import type { DomainEvent, RecordedEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { record } from '../../../kernel/record/record.js';
import { refuse } from '../workspace.refusals.js';

/** Fields that change when a key is renewed. */
export type Renewal = Required<Pick<ApiKeyFacts, 'keyHash' | 'hint' | 'expiresAt' | 'refreshHash' | 'refreshUntil'>>;

interface ApiKeyFacts {
  readonly name: string;
  readonly kind: CallerKind;
  /** The member whose rights the key has. Null unless it is the key of a person or connection. */
  readonly memberId: string | null;
  readonly agentId: string | null;
  readonly readOnly: boolean;
  readonly neverDeletes: boolean;
  readonly expiresAt: string | null;
  /** The areas whose operations the key may call. If omitted, it may call all operations. */
  readonly areas?: readonly string[];
  /** Ids of the functions that the key may run. If omitted, it may run all functions. */
  readonly functions?: readonly string[];
  /** Name of the AI client that received the key when a person signed in to it. Omitted for all other keys. */
  readonly client?: string;
  /** A digest of the client's id. */
  readonly clientId?: string;
  /** Keyed digest of the refresh token, and the time when the token expires. */
  readonly refreshHash?: string;
  readonly refreshUntil?: string;
  /**
   * Latest possible expiry of a client's key, which is the expiry of the key that the person signed in with. If
   * omitted, that key never expires.
   */
  readonly until?: string;
  /** Keyed digest of the key (`Vault.derive`). The key itself is not stored. */
  readonly keyHash: string;
  /** The key's last four characters, so that people can tell keys apart. */
  readonly hint: string;
}

type WholeKeyFacts = ApiKeyFacts & { readonly areas?: never; readonly functions?: never };

export type ApiKeyEvent =
  | DomainEvent<'ApiKeyCreated', WholeKeyFacts>
  /**
   * A separate type, because older versions of the service do not know restrictions. They ignore this event, so they
   * refuse the key instead of treating it as unrestricted.
   */
  | DomainEvent<'NarrowedApiKeyCreated', ApiKeyFacts>
  /**
   * The key of an AI client was replaced. The refresh token that was used for this can be used again for one minute
   * only.
   */
  | DomainEvent<'ApiKeyRenewed', Renewal>
  | DomainEvent<'ApiKeyRevoked', { readonly reason: string }>;

/**
 * The key was used. Recorded in a separate stream, by each process at most every ten minutes. Only the last event
 * matters.
 */
export type ApiKeyUseEvent = DomainEvent<'ApiKeyUsed', object>;

export interface ApiKey extends Document, ApiKeyFacts {
  readonly createdAt: string;
  readonly createdBy: string;
  /**
   * Ids of the members who created the key, and of those who created the key that was used for this. Empty if the
   * operator created it.
   */
  readonly makers: readonly string[];
  readonly revokedAt: string | null;
  readonly endedBecause: string | null;
  /** Digest of the refresh token with which the key was last renewed, and the time of that renewal. */
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

/** Returns the event that creates a key. Its type depends on whether the key is restricted. */
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

/** Time of a key's last use. The document's id is the key's id. */
export interface ApiKeyUse extends Document {
  readonly lastUsedAt: string;
}
