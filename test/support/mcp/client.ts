import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { TestApp } from '../app.js';

export interface McpTestClient {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  names(): Promise<readonly string[]>;
  /** Calls a tool and returns its texts, the last of which is JSON. */
  call(name: string, params?: object): Promise<{ readonly isError: boolean; readonly texts: readonly string[] }>;
  /** Calls a tool that must succeed, and returns its JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every form.
  done(name: string, params?: object): Promise<any>;
}

const open: Client[] = [];

/** Connects the official client with a key. */
export async function mcpClient(app: Pick<TestApp, 'url' | 'ownerKey'>, key = app.ownerKey): Promise<McpTestClient> {
  const client = new Client({ name: 'a test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  // The SDK's own types do not fit together: an optional member may not be undefined.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  open.push(client);
  const call = async (name: string, params: object = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: params as Record<string, unknown> });
    const texts = (content as { readonly text: string }[]).map(({ text }) => text);
    return { isError: isError === true, texts };
  };
  return {
    client,
    transport,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call,
    done: async (name, params) => {
      const { isError, texts } = await call(name, params);
      if (isError) throw new Error(`${name}: ${texts.join(' ')}`);
      return JSON.parse(texts.at(-1) ?? 'null');
    },
  };
}

export async function closeMcpClients(): Promise<void> {
  await Promise.all(open.splice(0).map((client) => client.close()));
}

/** Sends one message unchanged. */
export function mcpPost(app: TestApp, message: unknown, key = app.ownerKey, headers: Record<string, string> = {}) {
  return app.send('POST', '/mcp', typeof message === 'string' ? message : JSON.stringify(message), {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${key}`,
    ...headers,
  });
}
