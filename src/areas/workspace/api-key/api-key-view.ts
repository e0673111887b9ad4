import type { ApiKey } from './api-key.events.js';
import type { ApiKeyRecord, CreatedApiKey } from './api-key.operations.js';

type Facts = Omit<CreatedApiKey, 'key'>;

/** Everything but the key's digest. */
function facts(key: ApiKey): Facts {
  const { id, name, kind, memberId, agentId, readOnly, neverDeletes, expiresAt, createdAt, createdBy } = key;
  return { id, name, kind, memberId, agentId, readOnly, neverDeletes, expiresAt, createdAt, createdBy };
}

/** The one answer that shows the key itself. */
export function createdApiKey(record: ApiKey, key: string): CreatedApiKey {
  const { id, ...rest } = facts(record);
  return { id, key, ...rest };
}

export function apiKeyRecord(key: ApiKey, lastUsedAt: string | null, now: string): ApiKeyRecord {
  const { hint, revokedAt } = key;
  return { ...facts(key), hint, lastUsedAt, revokedAt, status: statusOf(key, now) };
}

function statusOf({ revokedAt, expiresAt }: ApiKey, now: string): ApiKeyRecord['status'] {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}
