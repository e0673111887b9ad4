import type { ApiKeyUse } from '../../src/areas/workspace/api-key/api-key.record.js';
import type { RecordedEvent } from '../../src/kernel/event/event.js';
import { parseStream } from '../../src/kernel/event/stream-name.js';
import { projection, put } from '../../src/kernel/record/projection.js';

/** Separate from the read model of keys, because use does not change the key's record. */
export const apiKeyUsesProjection = projection({
  name: 'apiKeyUses',
  version: 1,
  collections: { apiKeyUses: { indexes: [{ fields: ['workspaceId'] }] } },
  on: {
    ApiKeyUsed: ({ stream, metadata }: RecordedEvent) => {
      const { id, workspaceId } = parseStream(stream);
      return [put<ApiKeyUse>('apiKeyUses', { id, workspaceId, lastUsedAt: metadata.at })];
    },
  },
});
