import { serviceTool } from '../../../../engine/authorisation/service-tool.js';
import { Pipeline } from '../../../../engine/pipeline/pipeline.js';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.js';
import type { ToolCall } from '../../../../ports/network/tool-servers.port.js';
import { CapabilityRefused } from '../../../../ports/offloaded/sandbox.port.js';
import { ConnectionFailed, McpServers } from '../../../connections/mcp-connection/mcp-servers.api.js';
import { type CtxCall, type CtxMember, ctxMember } from '../ctx-member.js';
import { toolCall } from '../function-caller.js';

const service = 'service';

export const connectionMembers: readonly CtxMember[] = [
  ctxMember({ pipeline: Pipeline, servers: McpServers })({
    name: 'connections.call',
    usage:
      "('service', tool, args): runs an operation of the service that grants.serviceTools lists, e.g. 'automations_listFunctions', and resolves to its answer. (idOrName, tool, params): calls a tool of an MCP connection that the function's connections list, and resolves to { content, structuredContent?, isError? }.",
    args: ([connection, tool, input = {}], no) =>
      typeof connection === 'string' && typeof tool === 'string' && isJsonObject(input)
        ? { connection, tool, input }
        : no('takes the name of a connection, a tool and an object of arguments'),
    call: ({ connection, tool, input }, run) =>
      connection === service ? useTool(run, tool, input) : useServer(run, connection, { tool, params: input }),
  }),
];

/**
 * Operations that only people may call are refused, saves become drafts, and risky changes wait for approval. The call
 * has an Editor's rights and not those of the person who added the tool to the function, so nothing needs revoking when
 * that person leaves or changes role (Automations API, Rules 5).
 */
async function useTool(run: CtxCall & { readonly pipeline: Pipeline }, tool: string, input: JsonObject): Promise<Json> {
  const { grants, name } = run.scope.function;
  if (!grants.serviceTools.includes(tool)) {
    throw new CapabilityRefused(
      `The function '${name}' may not use the tool '${tool.slice(0, 100)}'; add it to grants.serviceTools.`,
      'tool-not-granted',
      403,
    );
  }
  const operation = serviceTool(tool);
  if (operation === undefined) {
    throw new CapabilityRefused(
      `'${tool.slice(0, 100)}' is not a tool that a function can use.`,
      'tool-not-found',
      404,
    );
  }
  return (await run.pipeline.within(operation, input, toolCall(run, operation.name))) as Json;
}

const longestRunMs = 300_000;
/** Maximum size of a tool's answer, in bytes of JSON, because it must fit into the answer of one ctx call. */
const largestAnswer = 4 * 1024 * 1024;

/** If the function's grant for the connection lists tools, other tools are refused. */
async function useServer(
  { scope, caller, servers }: CtxCall & { readonly servers: McpServers },
  named: string,
  call: ToolCall,
): Promise<Json> {
  const { grants, name } = scope.function;
  const shown = named.slice(0, 100);
  const connection = await servers.named(scope.request.workspaceId, named);
  if (connection === undefined) {
    throw new CapabilityRefused(
      `There is no connection '${shown}'; listMcpConnections lists the connections, and '${service}' is the service itself.`,
      'connection-not-found',
      404,
    );
  }
  const granted = grants.connections.find(({ id }) => id === connection.id);
  if (granted === undefined) {
    throw new CapabilityRefused(
      `The function '${name}' may not call the connection '${shown}'; list it in its connections.`,
      'connection-not-granted',
      403,
    );
  }
  if (granted.tools?.includes(call.tool) === false) {
    throw new CapabilityRefused(
      `The function '${name}' may not use the tool '${call.tool.slice(0, 100)}' of '${shown}'; list it with the connection.`,
      'tool-not-granted',
      403,
    );
  }
  try {
    const answer = await servers.call(connection, call, longestRunMs, caller.ended);
    if (Buffer.byteLength(JSON.stringify(answer)) > largestAnswer) {
      throw new ConnectionFailed(`The response of '${call.tool.slice(0, 100)}' is larger than 4 MB; request less.`);
    }
    return answer;
  } catch (error) {
    if (!(error instanceof ConnectionFailed)) throw error;
    throw new CapabilityRefused(error.message, 'connection-failed', 502);
  }
}
