import { notShown } from '../../../engine/operation/shown-once.js';
import type { EndingReason } from './api-key.js';
import type { ApiKeyRecord, CreatedApiKey } from './api-key.operations.js';
import type { ApiKey } from './api-key.record.js';

type Facts = Omit<CreatedApiKey, 'key' | 'notShown'>;

/** Everything but the key's digest. */
function facts(key: ApiKey): Facts {
  const { id, name, kind, memberId, agentId, readOnly, neverDeletes, expiresAt, createdAt, createdBy } = key;
  return { id, name, kind, memberId, agentId, readOnly, neverDeletes, expiresAt, createdAt, createdBy };
}

/** Longer than a call, including its repeat after its process was lost. */
const firstAnswerWithinMs = 15 * 60_000;

/** The only answer that shows the key itself. It does not when the same call is repeated long after it made the key. */
export function createdApiKey(record: ApiKey, key: string, now: string): CreatedApiKey {
  const { id, ...rest } = facts(record);
  const isFirst = Date.parse(now) - Date.parse(record.createdAt) < firstAnswerWithinMs;
  return isFirst ? { id, key, ...rest } : { id, key: null, ...rest, notShown };
}

/** `ends`: why the key does not work although no revocation is recorded (yet). Undefined when it works. */
export function apiKeyRecord(
  key: ApiKey,
  lastUsedAt: string | null,
  ends: EndingReason | undefined,
  now: string,
): ApiKeyRecord {
  const { hint, revokedAt } = key;
  const endedBecause = key.endedBecause ?? ends ?? null;
  return { ...facts(key), hint, lastUsedAt, revokedAt, endedBecause, status: statusOf(key, endedBecause, now) };
}

function statusOf({ revokedAt, expiresAt }: ApiKey, endedBecause: string | null, now: string): ApiKeyRecord['status'] {
  if (revokedAt !== null || endedBecause !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}
