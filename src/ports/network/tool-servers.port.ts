import type { Json, JsonObject } from '../../kernel/json/json.js';

export interface ToolServer {
  /** An http or https URL without user name or password. Its path and query may be secret. */
  readonly url: string;
  /** `http` is streamable HTTP. `sse` is the older form, with an event stream that stays open. */
  readonly transport: 'http' | 'sse';
  /**
   * Secret headers, sent only to the origin of `url`, over https or to a host for which the operator allows plain http.
   */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export interface ServerTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

export interface ToolCall {
  readonly tool: string;
  readonly params: JsonObject;
}

export interface ToolLimits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The message may contain the server's own text and therefore secrets. */
export class ToolServerFailed extends Error {
  override readonly name = 'ToolServerFailed';
}

/** Calls the tools of servers that speak MCP. Every call is a session of its own. */
export abstract class ToolServers {
  /** Lists at most 500 tools, with names, descriptions and schemas of bounded size. @throws ToolServerFailed */
  abstract tools(server: ToolServer, limits: ToolLimits): Promise<readonly ServerTool[]>;

  /**
   * Calls a tool once, without retries. Returns `{ content, structuredContent?, isError? }` as in the server's
   * response, at most 10 MB.
   * @throws ToolServerFailed
   */
  abstract call(server: ToolServer, call: ToolCall, limits: ToolLimits): Promise<Json>;
}
