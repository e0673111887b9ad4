import { QueryHandler } from '@nestjs/cqrs';
import type { ApiKeyUse } from '../../../../projections/workspace/api-key-use.projection.js';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { EndingKeys, endOf } from '../ending-keys.js';
import { type ApiKeyRecord, ListApiKeys } from './api-key.operations.js';
import type { ApiKey } from './api-key.record.js';
import { apiKeyRecord } from './api-key-view.js';

@QueryHandler(ListApiKeys)
export class ListApiKeysHandler {
  constructor(
    private readonly reads: Reads,
    private readonly ending: EndingKeys,
  ) {}

  async execute(input: ListApiKeys): Promise<readonly ApiKeyRecord[]> {
    const { workspaceId, at } = callOf(input);
    const [keys, uses, standings] = await Promise.all([
      this.reads.find<ApiKey>(workspaceId, 'apiKeys', { sort: [['createdAt', 'asc']] }),
      this.reads.find<ApiKeyUse>(workspaceId, 'apiKeyUses'),
      this.ending.standings(workspaceId),
    ]);
    const used = new Map(uses.map(({ id, lastUsedAt }) => [id, lastUsedAt]));
    return keys.map((key) => apiKeyRecord(key, used.get(key.id) ?? null, endOf(key, standings), at));
  }
}
