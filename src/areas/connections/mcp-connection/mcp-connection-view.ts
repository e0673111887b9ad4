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
  @Field({ type: 'object', description: "JSON Schema of the tool's parameters." }) inputSchema!: JsonObject;
}

/** A connection as operations return it (Sites API, listMcpConnections). */
export class McpConnectionRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', nullable: true }) icon!: string | null;
  @Field({
    type: 'string',
    enum: transports,
    description: '`http`: streamable HTTP. `sse`: the older transport, with a permanently open stream.',
  })
  transport!: McpConnection['transport'];
  @Field({
    type: 'string',
    description: "Origin of the server's URL. The rest is not returned, because it may be secret.",
  })
  serverUrl!: string;
  @Field({ type: 'boolean' }) isEnabled!: boolean;
  @Field({ type: 'string', nullable: true }) presetId!: string | null;
  @Field({ ...noTime, description: 'Time of the last success. null if there has been none.' }) lastOkAt!: string | null;
  @Field({
    type: 'string',
    nullable: true,
    description:
      'Error of the last test. Keys and the full URL are hidden. null if the test succeeded or there has been none.',
  })
  lastError!: string | null;
  @Field(noTime) lastErrorAt!: string | null;
  @Field({ ...noTime, description: 'Time of the first success. null if there has been none.' }) connectedAt!:
    | string
    | null;
  @Field(time) createdAt!: string;
  @Field(time) updatedAt!: string;
  @Field({ type: 'boolean' }) hasApiKey!: boolean;
  @Field({ type: 'boolean' }) hasOauth!: boolean;
  @Field({ type: 'boolean' }) hasClientSecret!: boolean;
  @Field({ type: 'boolean', description: 'Whether the URL and key can no longer be decrypted and must be set again.' })
  authUnreadable!: boolean;
  @Field({ type: 'string', description: 'Name of the person who added the connection.' }) builtBy!: string;
  @Field({ type: 'boolean', description: 'Whether the caller may change the connection.' }) mayManage!: boolean;
  @Field({
    type: 'array',
    items: () => ConnectionTool,
    optional: true,
    description: "The server's tools. Only present if they were requested.",
  })
  tools?: readonly ServerTool[];
  @Field({ type: 'string', optional: true, description: 'Why the tools could not be listed.' }) toolsError?: string;
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

export const mayManage = (caller: Caller | undefined): boolean =>
  caller?.kind === 'person' && caller.permissions.has('site.edit') && !caller.readOnly;
