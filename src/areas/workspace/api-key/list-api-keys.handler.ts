import { QueryHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type ApiKeyRecord, ListApiKeys } from './api-key.operations.js';
import type { ApiKey, ApiKeyUse } from './api-key.record.js';
import { apiKeyRecord } from './api-key-view.js';
import { EndingKeys, endOf } from './ending-keys.api.js';

/** So many revoked keys are listed, the newest; the audit has them all. */
const mostRevoked = 200;

@QueryHandler(ListApiKeys)
export class ListApiKeysHandler {
  constructor(
    private readonly reads: Reads,
    private readonly ending: EndingKeys,
  ) {}

  async execute(input: ListApiKeys): Promise<readonly ApiKeyRecord[]> {
    const { workspaceId, at } = callOf(input);
    const [open, revoked, uses, standings] = await Promise.all([
      this.reads.find<ApiKey>(workspaceId, 'apiKeys', { where: { revokedAt: null } }),
      this.reads.find<ApiKey>(workspaceId, 'apiKeys', {
        where: { revokedAt: { gt: '' } },
        sort: [['createdAt', 'desc']],
        limit: mostRevoked,
      }),
      this.reads.find<ApiKeyUse>(workspaceId, 'apiKeyUses'),
      this.ending.standings(workspaceId),
    ]);
    const used = new Map(uses.map(({ id, lastUsedAt }) => [id, lastUsedAt]));
    const keys = [...open, ...revoked].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    return keys.map((key) => apiKeyRecord(key, used.get(key.id) ?? null, endOf(key, standings), at));
  }
}
