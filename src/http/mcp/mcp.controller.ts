import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Json } from '../../kernel/json/json.js';
import { deepestInput, isTooDeep } from '../../kernel/json/json-depth.js';
import { Callers } from '../entrance/callers.js';
import { Through } from '../entrance/door.js';
import { headerOf } from '../header-of.js';
import { refuse } from '../http.refusals.js';
import { type McpClient, McpClients } from './mcp-clients.js';
import { McpDoor, mcpPath } from './mcp-door.js';
import type { Exchange } from './mcp-protocol.js';

/** Maximum number of messages in one request. Only versions of the protocol before 2025-06-18 allow more than one. */
const mostMessages = 20;
/** A JSON-RPC message adds this number of nesting levels around the arguments of a call. */
const around = 4;

type Sent = FastifyRequest<{ Body: Buffer | undefined }>;

@Controller(mcpPath)
export class McpController {
  constructor(
    private readonly door: McpDoor,
    private readonly clients: McpClients,
    private readonly callers: Callers,
  ) {}

  @All()
  @Through(McpDoor)
  async handle(@Req() request: Sent, @Res() reply: FastifyReply): Promise<void> {
    const { caller, session } = this.door.admittedOf(request);
    const body = parsed(request.body);
    if (body === undefined) {
      const error = { code: -32_700, message: 'The body is not valid JSON.' };
      reply
        .code(400)
        .type('application/json')
        .send(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
      return;
    }
    const messages = Array.isArray(body) ? body.length : 1;
    if (messages > mostMessages) refuse('mcp-batch-too-large', { most: mostMessages });
    // The first message was counted when the request was admitted.
    for (let more = 1; more < messages; more += 1) this.callers.mayCall(caller);
    mustTakeBothForms(request);
    // Loaded at the first request, because most processes never receive one.
    const { Exchange } = await import('./mcp-protocol.js');
    const exchange = new Exchange(body, headerOf(request, 'mcp-protocol-version'));
    const client = this.clients.of(request, caller, session);
    if (exchange.wantsProgress) await stream(reply, exchange, client);
    else await answer(reply, exchange, client);
  }
}

function parsed(body: Buffer | undefined): Json | undefined {
  try {
    const value = JSON.parse(body?.toString('utf8') ?? '') as Json;
    return isTooDeep(value, deepestInput + around) ? undefined : value;
  } catch {
    return undefined;
  }
}

function mustTakeBothForms({ headers: { accept = '*/*' } }: FastifyRequest): void {
  const takes = (form: string) => accept.includes(form);
  if (!takes('*/*') && !(takes('application/json') && takes('text/event-stream'))) refuse('mcp-accept-both');
}

async function answer(reply: FastifyReply, exchange: Exchange, client: McpClient): Promise<void> {
  const answers = await exchange.answeredBy(client);
  reply.header('Cache-Control', 'no-store');
  if (!exchange.expectsAnswer) {
    reply.code(202).send();
    return;
  }
  if (exchange.begins) reply.header('Mcp-Session-Id', client.newSession());
  const body = Array.isArray(exchange.body) ? answers : answers[0];
  reply.type('application/json').send(JSON.stringify(body));
}

async function stream(reply: FastifyReply, exchange: Exchange, client: McpClient): Promise<void> {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as object),
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store, no-transform',
    // The connection is not reused, so that a stopping service does not have to wait for it.
    Connection: 'close',
    // Without this header, nginx would buffer the events.
    'X-Accel-Buffering': 'no',
  });
  raw.flushHeaders();
  await exchange.answeredBy(client, (message) => {
    if (!raw.destroyed) raw.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  });
  raw.end();
}
