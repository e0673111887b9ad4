import { once } from 'node:events';
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from '@modelcontextprotocol/sdk/types.js';

type Play = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface ToolServerScene {
  /** URL for the transport streamable HTTP. */
  readonly url: string;
  /** URL for the older SSE transport. */
  readonly sseUrl: string;
  readonly origin: string;
  /** Headers of all requests. */
  readonly seen: IncomingMessage['headers'][];
  tools: Tool[];
  /** Returns a tool's result. */
  answer: (name: string, params: Record<string, unknown>) => object | Promise<object>;
  /** May respond to a request in place of the protocol. Returns whether it did. */
  play: Play;
  close(): Promise<void>;
}

const schema = { type: 'object', properties: { text: { type: 'string' } } } as const;

/** Starts a server with tools, built with the official SDK, on a loopback port. */
export async function startToolServer(): Promise<ToolServerScene> {
  const streams = new Map<string, SSEServerTransport>();
  const http: HttpServer = createServer((request, response) => void handle(request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const scene: ToolServerScene = {
    url: `${origin}/mcp`,
    sseUrl: `${origin}/sse`,
    origin,
    seen: [],
    tools: [{ name: 'echo', description: 'Says it again.', inputSchema: schema }],
    answer: (_, params) => ({ content: [{ type: 'text', text: `you said ${params['text']}` }] }),
    play: () => false,
    close: async () => {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
  const protocol = () => {
    const server = new Server({ name: 'tools', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: scene.tools }));
    server.setRequestHandler(
      CallToolRequestSchema,
      async ({ params }) => (await scene.answer(params.name, params.arguments ?? {})) as never,
    );
    return server;
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    scene.seen.push(request.headers);
    if (scene.play(request, response)) return;
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    if (pathname === '/sse') {
      const transport = new SSEServerTransport('/messages', response);
      streams.set(transport.sessionId, transport);
      await protocol().connect(transport);
    } else if (pathname === '/messages') {
      await streams.get(searchParams.get('sessionId') ?? '')?.handlePostMessage(request, response);
    } else {
      const transport = new StreamableHTTPServerTransport({});
      await protocol().connect(transport as Parameters<Server['connect']>[0]);
      await transport.handleRequest(request, response);
    }
  };
  return scene;
}
