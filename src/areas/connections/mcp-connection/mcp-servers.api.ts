import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { RecordedSecrets } from '../../../engine/records/recorded-secrets.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { Json } from '../../../kernel/json/json.js';
import {
  type ServerTool,
  type ToolCall,
  type ToolServer,
  ToolServerFailed,
  ToolServers,
} from '../../../ports/network/tool-servers.port.js';
import { VaultSealBroken } from '../../../ports/vault.port.js';
import { Redactor } from '../../../secret-text/hiding/redactor.js';
import { type SealedAddress, tested } from './mcp-connection.js';
import { type McpConnection, mcpConnections } from './mcp-connection.record.js';

const listingMs = 15_000;
const longestError = 500;
const longestDescription = 2_000;
/**
 * Shorter secret values are not hidden in answers, because they would also match unrelated text. The API key is always
 * hidden.
 */
const shortestHidden = 8;

/** Thrown if a call fails or the connection cannot be used. Secrets of the connection are hidden in the message. */
export class ConnectionFailed extends Error {}

/** Secrets of the connection are hidden in all answers. */
@Injectable()
export class McpServers {
  constructor(
    private readonly reads: Reads,
    private readonly secrets: RecordedSecrets,
    private readonly runner: CommandRunner,
    private readonly servers: ToolServers,
  ) {}

  async named(workspaceId: string, idOrName: string): Promise<McpConnection | undefined> {
    const collection = mcpConnections.collection.name;
    return (
      (await this.reads.get<McpConnection>(workspaceId, collection, idOrName)) ??
      (await this.reads.first<McpConnection>(workspaceId, collection, { name: idOrName }))
    );
  }

  /**
   * Returns undefined if the vault entry is missing or cannot be decrypted. The URL, key and headers must then be set
   * again.
   */
  async addressOf({ workspaceId, secretId }: McpConnection): Promise<SealedAddress | undefined> {
    try {
      const sealed = await this.secrets.open(mcpConnections, workspaceId, secretId);
      const address = sealed === undefined ? undefined : (JSON.parse(sealed) as SealedAddress);
      // Earlier versions stored an empty URL when only the key of such an entry was set.
      return address?.url === '' ? undefined : address;
    } catch (error) {
      if (error instanceof VaultSealBroken) return undefined;
      throw error;
    }
  }

  /** @throws ConnectionFailed */
  call(connection: McpConnection, call: ToolCall, timeoutMs: number, signal: AbortSignal): Promise<Json> {
    return this.hiding(connection, (server) => this.servers.call(server, call, { timeoutMs, signal }));
  }

  /** @throws ConnectionFailed */
  async tools(connection: McpConnection): Promise<readonly ServerTool[]> {
    const found = await this.hiding(connection, (server) => this.servers.tools(server, { timeoutMs: listingMs }));
    return found.map((tool) => ({ ...tool, description: tool.description.slice(0, longestDescription) }));
  }

  /** Lists the server's tools and records whether that worked. `tools` is the number of tools. */
  async test(
    call: OperationContext,
    connection: McpConnection,
  ): Promise<{ readonly error: string | null; readonly tools: number }> {
    const found = await this.tools(connection).then(
      (tools) => ({ error: null, tools: tools.length }),
      (error: unknown) => {
        if (error instanceof ConnectionFailed) return { error: error.message, tools: 0 };
        throw error;
      },
    );
    await this.runner.change(call, {
      aggregate: mcpConnections,
      id: connection.id,
      decide: (before) => (before ? tested(before, connection, found.error) : []),
    });
    return found;
  }

  private async hiding<Answer>(
    connection: McpConnection,
    work: (server: ToolServer) => Promise<Answer>,
  ): Promise<Answer> {
    const { name, isEnabled, transport } = connection;
    if (!isEnabled) throw new ConnectionFailed(`The connection '${name}' is switched off.`);
    const address = await this.addressOf(connection);
    if (address === undefined) {
      throw new ConnectionFailed(`The URL of the connection '${name}' cannot be decrypted; set it again.`);
    }
    const redactor = new Redactor(secretsIn(address));
    const { url, apiKey, headers = {} } = address;
    const bearer = apiKey === undefined ? [] : [['authorization', `Bearer ${apiKey}`] as const];
    try {
      const answer = await work({ url, transport, headers: [...Object.entries(headers), ...bearer] });
      return redactor.json(answer as Json).value as Answer;
    } catch (error) {
      if (!(error instanceof ToolServerFailed)) throw error;
      // Shortened only now, because the redactor does not find a value of which a part is missing.
      throw new ConnectionFailed(redactor.text(error.message).value.slice(0, longestError));
    }
  }
}

function secretsIn({ url, apiKey, headers = {} }: SealedAddress): readonly string[] {
  const { pathname, search, searchParams, href } = new URL(url);
  const parts = [href, search.slice(1), ...pathname.split('/'), ...searchParams.values()];
  const long = [...parts, ...Object.values(headers)].filter((one) => one.length >= shortestHidden);
  return [...long, ...(apiKey === undefined ? [] : [apiKey])];
}
