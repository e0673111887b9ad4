import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  CancelledNotificationSchema,
  ErrorCode,
  GetPromptRequestSchema,
  isInitializeRequest,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '../../kernel/json/json.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import type { McpClient } from './mcp-clients.js';

const server = { name: 'countersign', title: 'Countersign', version: '1' };
const capabilities = { tools: {}, resources: {}, prompts: {} };
const instructions =
  'Tools named function_… run functions; the others are operations of the workspace, named <area>_<operation>. ' +
  'Read the resource countersign://guide/getting-started first. ' +
  'A result that says "Waiting for approval" means that nothing has happened yet: show the person its link.';

/** The schemas of functions are data, and nothing is asked of clients, so that nothing has to be compiled. */
const jsonSchemaValidator = {
  getValidator: () => () => {
    throw new Error('No schema is checked here.');
  },
};

/** One exchange of messages with a client. What it needs to know stands in the request, so any process can take it. */
export async function exchange(client: McpClient, { url, headers, body }: Sent): Promise<Response> {
  const own = new Server(server, { capabilities, instructions, jsonSchemaValidator });
  own.setRequestHandler(ListToolsRequestSchema, () => answering(async () => ({ tools: [...(await client.tools())] })));
  own.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
    answering(() =>
      client.call(params.name, (params.arguments ?? {}) as JsonObject, extra.requestId, async (seconds) => {
        const progressToken = extra._meta?.progressToken;
        if (progressToken === undefined) return;
        const message = `It has been going on for ${seconds} s.`;
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress: seconds, message },
        });
      }),
    ),
  );
  own.setRequestHandler(ListResourcesRequestSchema, () =>
    answering(async () => ({ resources: [...(await client.resources())] })),
  );
  own.setRequestHandler(ListResourceTemplatesRequestSchema, async () => ({ resourceTemplates: [] }));
  own.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) =>
    answering(async () => ({ contents: [await client.resource(uri)] })),
  );
  own.setRequestHandler(ListPromptsRequestSchema, async () => ({ prompts: [...client.prompts()] }));
  own.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
    answering(async () => client.prompt(params.name, params.arguments ?? {})),
  );
  // Calls are cancelled by way of any process, and so never by what this server has in hand.
  own.setNotificationHandler(CancelledNotificationSchema, async ({ params: { requestId } }) => {
    if (requestId !== undefined) await client.cancel(requestId);
  });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !wantsProgress(body) });
  // Its own types say that what may be left out may not be undefined.
  await own.connect(transport as Parameters<Server['connect']>[0]);
  const response = await transport.handleRequest(new Request(url, { method: 'POST', headers }), { parsedBody: body });
  if (isInitializeRequest(body) && response.ok) response.headers.set('mcp-session-id', client.newSession());
  return response;
}

export interface Sent {
  readonly url: string;
  readonly headers: Headers;
  /** What the client sent, parsed. */
  readonly body: unknown;
}

/** Refusals are told in the words of the protocol. */
async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, facts, kind } = error;
    const isParams = kind === 'invalid' || kind === 'not-found';
    throw new McpError(isParams ? ErrorCode.InvalidParams : ErrorCode.InvalidRequest, message, { code, ...facts });
  }
}

/** Only a stream can tell of progress. */
function wantsProgress(body: unknown): boolean {
  return [body].flat().some((message) => {
    const meta = (message as { readonly params?: { readonly _meta?: object } } | null)?.params?._meta;
    return meta != null && 'progressToken' in meta;
  });
}
