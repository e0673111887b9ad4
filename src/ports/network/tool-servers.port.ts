import type { Json, JsonObject } from '../../kernel/json/json.js';

/** A server of tools that a workspace is connected to. */
export interface ToolServer {
  /** http or https, without user name or password. Its path and query may be secret. */
  readonly url: string;
  /** `http`: streamable HTTP. `sse`: the older form, with a stream of events that stays open. */
  readonly transport: 'http' | 'sse';
  /** Sent to the origin of `url` alone, over https or to where the operator allows plain http. They are secret. */
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
  /** From the first connection to the answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The server was not reached, is none, or refused. The sentence may hold what the server said, and so its secrets. */
export class ToolServerFailed extends Error {
  override readonly name = 'ToolServerFailed';
}

/** Calls the tools of servers that speak MCP. Nothing is kept between calls; every call is a session of its own. */
export abstract class ToolServers {
  /** At most 500, with names, descriptions and schemas of bounded size. @throws ToolServerFailed */
  abstract tools(server: ToolServer, limits: ToolLimits): Promise<readonly ServerTool[]>;

  /**
   * `{ content, structuredContent?, isError? }` as the server answers it, 10 MB at most. Sent once, never retried.
   * @throws ToolServerFailed
   */
  abstract call(server: ToolServer, call: ToolCall, limits: ToolLimits): Promise<Json>;
}
