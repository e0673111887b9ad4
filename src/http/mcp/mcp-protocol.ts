import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  CancelledNotificationSchema,
  ErrorCode,
  GetPromptRequestSchema,
  isInitializeRequest,
  isJSONRPCRequest,
  JSONRPCMessageSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '../../kernel/json/json.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { refuse } from '../http.refusals.js';
import { ExchangeTransport, type McpMessage } from './exchange-transport.js';
import type { McpClient } from './mcp-clients.js';

const server = { name: 'countersign', title: 'Countersign', version: '1' };
const capabilities = { tools: {}, resources: {}, prompts: {} };
const instructions =
  'Tools named function_… run functions; the others are operations of the workspace, named <area>_<operation>. ' +
  'Read the resource countersign://guide/getting-started first. ' +
  'A result that says "Waiting for approval" means that nothing has changed yet: show the person its link.';

/**
 * Replaces the SDK's schema validator, which is slow to create for every server. The SDK uses it only for elicitation,
 * and this service never asks its client for input.
 */
const jsonSchemaValidator = {
  getValidator: () => () => {
    throw new Error('Schemas are not validated here.');
  },
};

export class Exchange {
  readonly expectsAnswer: boolean;
  readonly begins: boolean;
  readonly wantsProgress: boolean;
  private readonly messages: readonly McpMessage[];

  /** @throws Refusal mcp-message-invalid, mcp-version-unknown */
  constructor(
    readonly body: unknown,
    version: string | undefined,
  ) {
    const parsed = [body].flat().map((one) => JSONRPCMessageSchema.safeParse(one));
    this.messages = parsed.map(({ data }) => data ?? refuse('mcp-message-invalid'));
    const requests = this.messages.filter(isJSONRPCRequest);
    this.expectsAnswer = requests.length > 0;
    this.begins = this.messages.some(isInitializeRequest);
    this.wantsProgress = requests.some(({ params }) => params?._meta?.progressToken !== undefined);
    const ids = new Set(requests.map(({ id }) => id));
    if (ids.size < requests.length || (this.begins && this.messages.length > 1)) refuse('mcp-message-invalid');
    if (!this.begins && version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
      refuse('mcp-version-unknown', { versions: SUPPORTED_PROTOCOL_VERSIONS.join(', ') });
    }
  }

  /** Resolves to the responses, in the order of completion. `notify` is called with each response and notification. */
  async answeredBy(client: McpClient, notify?: (message: McpMessage) => void): Promise<readonly McpMessage[]> {
    const transport = new ExchangeTransport(this.messages, notify);
    await serverFor(client, this.messages).connect(transport);
    return transport.answers();
  }
}

const handlers: Readonly<Record<string, (own: Server, client: McpClient) => void>> = {
  'tools/list': (own, client) =>
    own.setRequestHandler(ListToolsRequestSchema, () =>
      answering(async () => ({ tools: [...(await client.tools())] })),
    ),
  'tools/call': (own, client) =>
    own.setRequestHandler(CallToolRequestSchema, ({ params }, extra) =>
      answering(() =>
        client.call(params.name, (params.arguments ?? {}) as JsonObject, extra.requestId, async (seconds) => {
          const progressToken = extra._meta?.progressToken;
          if (progressToken === undefined) return;
          const message = `The call has been running for ${seconds} s.`;
          await extra.sendNotification({
            method: 'notifications/progress',
            params: { progressToken, progress: seconds, message },
          });
        }),
      ),
    ),
  'resources/list': (own, client) =>
    own.setRequestHandler(ListResourcesRequestSchema, () =>
      answering(async () => ({ resources: [...(await client.resources())] })),
    ),
  'resources/templates/list': (own) =>
    own.setRequestHandler(ListResourceTemplatesRequestSchema, async () => ({ resourceTemplates: [] })),
  'resources/read': (own, client) =>
    own.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) =>
      answering(async () => ({ contents: [await client.resource(uri)] })),
    ),
  'prompts/list': (own, client) =>
    own.setRequestHandler(ListPromptsRequestSchema, async () => ({ prompts: [...client.prompts()] })),
  'prompts/get': (own, client) =>
    own.setRequestHandler(GetPromptRequestSchema, ({ params }) =>
      answering(async () => client.prompt(params.name, params.arguments ?? {})),
    ),
  // The cancelled call may be in another process, so `client` looks it up, not this server.
  'notifications/cancelled': (own, client) =>
    own.setNotificationHandler(CancelledNotificationSchema, async ({ params: { requestId } }) => {
      if (requestId !== undefined) await client.cancel(requestId);
    }),
};

/** Holds no state from other requests, so any process can handle the next request. */
function serverFor(client: McpClient, messages: readonly McpMessage[]): Server {
  const own = new Server(server, { capabilities, instructions, jsonSchemaValidator });
  const methods = new Set(messages.flatMap((message) => ('method' in message ? message.method : [])));
  for (const method of methods) if (Object.hasOwn(handlers, method)) handlers[method]?.(own, client);
  return own;
}

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
