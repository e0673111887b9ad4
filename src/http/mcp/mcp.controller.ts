import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import type { Json } from '../../kernel/json/json.js';
import { deepestInput, isTooDeep } from '../../kernel/json/json-depth.js';
import { Callers } from '../entrance/callers.js';
import { Through } from '../entrance/door.js';
import { refuse } from '../http.refusals.js';
import { McpClients } from './mcp-clients.js';
import { McpDoor, mcpPath } from './mcp-door.js';

/** Messages of one request. Versions of the protocol before 2025-06-18 send several. */
const mostMessages = 20;
/** What a message has around the arguments of a call. */
const around = 4;

type Sent = FastifyRequest<{ Body: Buffer | undefined }>;

/** Served to AI clients: MCP over streamable HTTP (Sites supplement, 11). */
@Controller(mcpPath)
export class McpController {
  constructor(
    private readonly door: McpDoor,
    private readonly clients: McpClients,
    private readonly callers: Callers,
    private readonly environment: Environment,
  ) {}

  @All()
  @Through(McpDoor)
  async handle(@Req() request: Sent, @Res() reply: FastifyReply): Promise<void> {
    const { caller, session } = this.door.of(request);
    const body = parsed(request.body);
    if (body === undefined) {
      const error = { code: -32_700, message: 'The body is not JSON that could be read.' };
      reply
        .code(400)
        .type('application/json')
        .send(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
      return;
    }
    const messages = Array.isArray(body) ? body.length : 1;
    if (messages > mostMessages) refuse('mcp-batch-too-large', { most: mostMessages });
    // The first was counted at the door.
    for (let more = 1; more < messages; more += 1) this.callers.mayCall(caller);
    // Loaded with the first client: most processes never have one.
    const { exchange } = await import('./mcp-protocol.js');
    const url = `${this.environment.baseUrl}/${mcpPath}`;
    const client = this.clients.of(request, caller, session);
    const response = await exchange(client, { url, headers: headersOf(request), body });
    await send(reply, response);
  }
}

/** Undefined where it is not JSON, or nests so deep that it could not be written again. */
function parsed(body: Buffer | undefined): Json | undefined {
  try {
    const value = JSON.parse(body?.toString('utf8') ?? '') as Json;
    return isTooDeep(value, deepestInput + around) ? undefined : value;
  } catch {
    return undefined;
  }
}

const bothForms = 'application/json, text/event-stream';

/** Those that the protocol reads. A client that takes any form of answer need not name the two there are. */
function headersOf({ headers }: FastifyRequest): Headers {
  const { accept = '*/*' } = headers;
  const sent = new Headers({ accept: accept.includes('*/*') ? bothForms : accept, 'content-type': 'application/json' });
  const version = headers['mcp-protocol-version'];
  if (typeof version === 'string') sent.set('mcp-protocol-version', version);
  return sent;
}

async function send(reply: FastifyReply, response: Response): Promise<void> {
  const headers = Object.fromEntries(response.headers);
  if (!headers['content-type']?.startsWith('text/event-stream') || response.body === null) {
    const { 'content-length': _, ...kept } = headers;
    reply
      .code(response.status)
      .headers({ 'Cache-Control': 'no-store', ...kept })
      .send(await response.text());
    return;
  }
  reply.hijack();
  // The connection ends with the stream, so that a stopping service does not have to wait for it.
  reply.raw.writeHead(response.status, { ...(reply.getHeaders() as object), ...headers, connection: 'close' });
  // A client that goes away cancels nothing: the call goes on, as with every operation.
  await pipeline(Readable.fromWeb(response.body as never), reply.raw).catch(() => undefined);
}
