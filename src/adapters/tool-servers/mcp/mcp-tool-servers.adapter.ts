import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { isTooDeep } from '../../../kernel/json/json-depth.js';
import { wrongCharacter } from '../../../kernel/text/must-be.js';
import type { Egress } from '../../../ports/network/egress.port.js';
import {
  type ServerTool,
  type ToolCall,
  type ToolLimits,
  type ToolServer,
  ToolServers,
} from '../../../ports/network/tool-servers.port.js';
import { longestText, serverFetch, toolServerFailureOf } from './server-fetch.js';

const mostTools = 500;
const longestName = 200;
const largestSchema = 20_000;
const deepestSchema = 64;

/** Imported at the first call, because few processes call tool servers. */
const library = () => import('./mcp-sdk.js');

export class McpToolServers extends ToolServers {
  constructor(private readonly egress: Egress) {
    super();
  }

  override async tools(server: ToolServer, limits: ToolLimits): Promise<readonly ServerTool[]> {
    const { listTools } = await library();
    try {
      const found = await listTools(server, limits, serverFetch(this.egress, server, limits));
      return found
        .filter(({ name }) => isName(name))
        .slice(0, mostTools)
        .map(shown);
    } catch (error) {
      throw toolServerFailureOf(error);
    }
  }

  override async call(server: ToolServer, call: ToolCall, limits: ToolLimits): Promise<Json> {
    const { callTool } = await library();
    try {
      const { content, structuredContent, isError } = await callTool(
        server,
        limits,
        serverFetch(this.egress, server, limits),
        call,
      );
      return {
        content,
        ...(structuredContent === undefined ? {} : { structuredContent }),
        ...(isError === true ? { isError } : {}),
      } as unknown as Json;
    } catch (error) {
      throw toolServerFailureOf(error);
    }
  }
}

const isName = (name: string) => name !== '' && name.length <= longestName && wrongCharacter(name) === undefined;

/**
 * A server can send anything, so the description is shortened, and a schema that is too large or too deep is replaced
 * by one that allows any object.
 */
function shown({
  name,
  description = '',
  inputSchema,
}: {
  name: string;
  description?: string | undefined;
  inputSchema: object;
}) {
  const isFine = !isTooDeep(inputSchema, deepestSchema) && JSON.stringify(inputSchema).length <= largestSchema;
  return {
    name,
    description: description.toWellFormed().replaceAll('\0', '').slice(0, longestText),
    inputSchema: (isFine ? inputSchema : { type: 'object' }) as JsonObject,
  };
}
