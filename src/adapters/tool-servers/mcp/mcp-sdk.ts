import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ToolCall, ToolLimits, ToolServer } from '../../../ports/network/tool-servers.port.js';
import type { serverFetch } from './server-fetch.js';

const mostPages = 20;
/** Time limit, in milliseconds, for ending a session. Short, because ending it is only a courtesy to the server. */
const endingMs = 5_000;

/** The library must not compile a server's schemas, because they are not trusted. */
const jsonSchemaValidator = {
  getValidator: () => () => {
    throw new Error('Schemas are not checked here.');
  },
};

type Fetch = ReturnType<typeof serverFetch>;

async function session<T>(
  { url, transport: kind }: ToolServer,
  { timeoutMs: timeout, signal }: ToolLimits,
  fetch: Fetch,
  work: (client: Client, options: { readonly timeout: number; readonly signal?: AbortSignal }) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: 'countersign', version: '1' }, { capabilities: {}, jsonSchemaValidator });
  const options = { timeout, maxTotalTimeout: timeout, ...(signal && { signal }) };
  const transport =
    kind === 'sse'
      ? new SSEClientTransport(new URL(url), { fetch, eventSourceInit: { fetch } })
      : new StreamableHTTPClientTransport(new URL(url), { fetch });
  try {
    // The library's types do not allow optional properties to be undefined.
    await client.connect(transport as Parameters<Client['connect']>[0], options);
    return await work(client, options);
  } finally {
    const ends = transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined;
    const ended = ends ? transport.terminateSession().catch(() => undefined) : Promise.resolve();
    const late = new Promise((resolve) => setTimeout(resolve, endingMs).unref());
    void Promise.race([ended, late]).then(() => client.close().catch(() => undefined));
  }
}

export const callTool = (server: ToolServer, limits: ToolLimits, fetch: Fetch, { tool, params }: ToolCall) =>
  session(server, limits, fetch, (client, options) =>
    client.request({ method: 'tools/call', params: { name: tool, arguments: params } }, CallToolResultSchema, options),
  );

export const listTools = (server: ToolServer, limits: ToolLimits, fetch: Fetch) =>
  session(server, limits, fetch, async (client, options) => {
    const found = [];
    let cursor: string | undefined;
    for (let page = 0; page < mostPages; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const { tools, nextCursor } = await client.request(
        { method: 'tools/list', params },
        ListToolsResultSchema,
        options,
      );
      found.push(...tools);
      cursor = nextCursor;
      if (cursor === undefined) break;
    }
    return found;
  });
