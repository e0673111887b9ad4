import type { CallerKind } from '../../../kernel/caller.js';
import type { DomainEvent } from '../../../kernel/event.js';
import { membersBehind } from '../../../kernel/members-behind.js';
import type { Document } from '../../../kernel/projection.js';
import { record } from '../../../kernel/record.js';
import { refuse } from '../../../kernel/refusal.js';

interface ApiKeyFacts {
  readonly name: string;
  readonly kind: CallerKind;
  /** Whose rights it carries: a person's or connection's member. */
  readonly memberId: string | null;
  readonly agentId: string | null;
  readonly readOnly: boolean;
  readonly neverDeletes: boolean;
  readonly expiresAt: string | null;
  /** A keyed digest of the key (`Vault.derive`); the key itself is nowhere. */
  readonly keyHash: string;
  /** The key's last four characters, so that a person can tell keys apart. */
  readonly hint: string;
}

export type ApiKeyEvent =
  | DomainEvent<'ApiKeyCreated', ApiKeyFacts>
  | DomainEvent<'ApiKeyRevoked', { readonly reason: string }>;

/** Kept apart from the key's history: at most one in ten minutes, and only the last one counts. */
export type ApiKeyUseEvent = DomainEvent<'ApiKeyUsed', object>;

export interface ApiKey extends Document, ApiKeyFacts {
  readonly createdAt: string;
  readonly createdBy: string;
  /** The members who made it, by id: also those who had made the key that it was made with. None: the operator did. */
  readonly makers: readonly string[];
  readonly revokedAt: string | null;
  readonly endedBecause: string | null;
}

export const apiKeys = record<ApiKey, ApiKeyEvent>()({
  category: 'apiKey',
  auditedFor: 'keys.manage',
  limited: true,
  missing: () => refuse('api-key-not-found'),
  collection: {
    name: 'apiKeys',
    version: 2,
    indexes: [{ fields: ['keyHash'], unique: true }, { fields: ['workspaceId', 'createdAt'] }],
  },
  begins: {
    ApiKeyCreated: ({ data, metadata }, ids) => ({
      ...ids,
      ...data,
      createdAt: metadata.at,
      createdBy: metadata.actor.name,
      makers: membersBehind(metadata.actor),
      revokedAt: null,
      endedBecause: null,
    }),
  },
  continues: {
    ApiKeyRevoked: (key, { data, metadata }) =>
      key.revokedAt === null ? { ...key, revokedAt: metadata.at, endedBecause: data.reason } : key,
  },
});

/** The text that a key is hashed from, so that no other derived token can stand for it. */
export const apiKeyText = (key: string): string => `api-key/${key}`;

/** Recognisable wherever it turns up; `token` is the secret part. */
export const apiKeyOf = (token: string): string => `csk_${token}`;

/** What is recorded of a key instead of the key. */
export function sealedKey(key: string, derive: (text: string) => string): Pick<ApiKeyFacts, 'keyHash' | 'hint'> {
  return { keyHash: derive(apiKeyText(key)), hint: key.slice(-4) };
}
