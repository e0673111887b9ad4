import { agents } from '../../src/areas/workspace/agent/agent.record.js';
import { apiKeys } from '../../src/areas/workspace/api-key/api-key.record.js';
import { creditsOfWorkspace } from '../../src/areas/workspace/credits/credits.record.js';
import { members } from '../../src/areas/workspace/member/member.record.js';
import { workspaces } from '../../src/areas/workspace/workspace/workspace.record.js';
import type { RecordedEvent } from '../../src/kernel/event.js';
import { type Document, projection, put } from '../../src/kernel/projection.js';
import { recordsProjection } from '../../src/kernel/record.js';
import { parseStream } from '../../src/kernel/stream-name.js';

export const workspacesProjection = recordsProjection('workspaces', 1, workspaces, [{ fields: ['handle'] }]);

export const creditsProjection = recordsProjection('credits', 1, creditsOfWorkspace, []);

export const membersProjection = recordsProjection('members', 1, members, [{ fields: ['workspaceId', 'createdAt'] }]);

export const agentsProjection = recordsProjection('agents', 3, agents, [{ fields: ['workspaceId', 'createdAt'] }]);

export const apiKeysProjection = recordsProjection('apiKeys', 2, apiKeys, [
  { fields: ['keyHash'], unique: true },
  { fields: ['workspaceId', 'createdAt'] },
]);

export interface ApiKeyUse extends Document {
  readonly lastUsedAt: string;
}

/** When each key was last seen, apart from the key, which it does not change. */
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
