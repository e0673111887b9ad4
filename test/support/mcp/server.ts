import { once } from 'node:events';
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from '@modelcontextprotocol/sdk/types.js';

type Play = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface ToolServerScene {
  /** Of streamable HTTP. */
  readonly url: string;
  /** Of the older transport. */
  readonly sseUrl: string;
  readonly origin: string;
  /** Headers of every request that came. */
  readonly seen: IncomingMessage['headers'][];
  tools: Tool[];
  /** What a tool answers. */
  answer: (name: string, params: Record<string, unknown>) => object | Promise<object>;
  /** Answers a request in the protocol's place where it is true. */
  play: Play;
  close(): Promise<void>;
}

const schema = { type: 'object', properties: { text: { type: 'string' } } } as const;

/** A server of tools by the official SDK, on a loopback port. */
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
