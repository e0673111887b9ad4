import type { Caller } from '../../../kernel/callers/caller.js';
import { Field } from '../../../kernel/field/field.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { ServerTool } from '../../../ports/network/tool-servers.port.js';
import { type McpConnection, transports } from './mcp-connection.record.js';

const time = { type: 'string', format: 'date-time' } as const;
const noTime = { ...time, nullable: true } as const;

class ConnectionTool {
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) description!: string;
  @Field({ type: 'object', description: 'JSON Schema of its params.' }) inputSchema!: JsonObject;
}

/** A connection as operations return it (Sites API, listMcpConnections). */
export class McpConnectionRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', nullable: true }) icon!: string | null;
  @Field({ type: 'string', enum: transports, description: 'http: streamable HTTP. sse: a stream that stays open.' })
  transport!: McpConnection['transport'];
  @Field({ type: 'string', description: 'The origin alone: the rest of the address may be secret.' })
  serverUrl!: string;
  @Field({ type: 'boolean' }) isEnabled!: boolean;
  @Field({ type: 'string', nullable: true }) presetId!: string | null;
  @Field({ ...noTime, description: 'When it worked last.' }) lastOkAt!: string | null;
  @Field({ type: 'string', nullable: true, description: 'Keys and the full address are hidden.' })
  lastError!: string | null;
  @Field(noTime) lastErrorAt!: string | null;
  @Field({ ...noTime, description: 'When it worked first.' }) connectedAt!: string | null;
  @Field(time) createdAt!: string;
  @Field(time) updatedAt!: string;
  @Field({ type: 'boolean' }) hasApiKey!: boolean;
  @Field({ type: 'boolean' }) hasOauth!: boolean;
  @Field({ type: 'boolean' }) hasClientSecret!: boolean;
  @Field({ type: 'boolean', description: 'Its address and key cannot be read any more, and have to be set again.' })
  authUnreadable!: boolean;
  @Field({ type: 'string', description: 'The name of whoever added it.' }) builtBy!: string;
  @Field({ type: 'boolean', description: 'Whether the caller may change it.' }) mayManage!: boolean;
  @Field({ type: 'array', items: () => ConnectionTool, optional: true, description: 'Where they were asked for.' })
  tools?: readonly ServerTool[];
  @Field({ type: 'string', optional: true, description: 'Why they could not be listed.' }) toolsError?: string;
}

type Listed = Pick<McpConnectionRecord, 'tools' | 'toolsError'>;

export function connectionRecord(
  { workspaceId: _, secretId: __, origin, ...shown }: McpConnection,
  authUnreadable: boolean,
  mayManage: boolean,
  listed: Listed = {},
): McpConnectionRecord {
  return {
    ...shown,
    serverUrl: origin,
    icon: null,
    presetId: null,
    hasOauth: false,
    hasClientSecret: false,
    authUnreadable,
    mayManage,
    ...listed,
  };
}

/**
 * Whether the caller may change connections. Only people who can edit sites and do not use a read-only key may do this.
 */
export const mayManage = (caller: Caller | undefined): boolean =>
  caller?.kind === 'person' && caller.permissions.has('site.edit') && !caller.readOnly;
