import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../connections.refusals.js';

export const transports = ['http', 'sse'] as const;

export interface McpConnectionFacts {
  readonly name: string;
  /** `http` is streamable HTTP. `sse` is the older transport, whose event stream stays open. */
  readonly transport: (typeof transports)[number];
  /** Origin of the server's URL. The path and query are only in the vault, because they can be secret. */
  readonly origin: string;
  readonly hasApiKey: boolean;
  readonly isEnabled: boolean;
  /** Id of the vault entry with the URL, key and headers. Each change of these creates a new entry. */
  readonly secretId: string;
}

export type McpConnectionEvent =
  | DomainEvent<'McpConnectionAdded', McpConnectionFacts>
  /** `replaces` is the id of the old vault entry, which can be destroyed. */
  | DomainEvent<'McpConnectionChanged', Partial<McpConnectionFacts> & { readonly replaces?: string }>
  /** `error` is one sentence, or `null` if the connection works. */
  | DomainEvent<'McpConnectionTested', { readonly error: string | null }>
  | DomainEvent<'McpConnectionRemoved', { readonly secretId: string }>;

export interface McpConnection extends Document, McpConnectionFacts {
  readonly builtBy: string;
  readonly connectedAt: string | null;
  readonly lastOkAt: string | null;
  readonly lastError: string | null;
  readonly lastErrorAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const mcpConnections = plainRecord<McpConnection, McpConnectionEvent>()({
  category: 'mcpConnection',
  inner: ['secretId', 'replaces'],
  secrets: {
    entry: 'mcp-connection',
    fates: {
      McpConnectionAdded: ({ secretId }) => ({ keeps: secretId }),
      McpConnectionChanged: ({ secretId, replaces }) => ({ keeps: secretId, destroys: replaces }),
      McpConnectionRemoved: ({ secretId }) => ({ destroys: secretId }),
    },
  },
  auditedFor: 'site.read',
  shownBy: 'site/listMcpConnections',
  limited: true,
  undoing: {
    sets: ['connections/updateMcpConnection'],
    ends: 'connections/removeMcpConnection',
    gone: 'Its address and key were destroyed with it; add the connection again.',
  },
  missing: () => refuse('mcp-connection-not-found'),
  updatedAt: true,
  collection: { name: 'mcpConnections', version: 1, indexes: [{ fields: ['workspaceId', 'name'] }] },
  begins: {
    McpConnectionAdded: ({ data, metadata }) => ({
      ...data,
      builtBy: metadata.actor.name,
      connectedAt: null,
      lastOkAt: null,
      lastError: null,
      lastErrorAt: null,
    }),
  },
  ends: ['McpConnectionRemoved'],
  also: {
    McpConnectionChanged: (_, { data: { replaces: __, ...changes } }) => changes,
    McpConnectionTested: ({ connectedAt }, { data: { error }, metadata: { at } }) =>
      error === null
        ? { connectedAt: connectedAt ?? at, lastOkAt: at, lastError: null, lastErrorAt: null }
        : { lastError: error, lastErrorAt: at },
  },
});
