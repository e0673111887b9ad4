import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { OpenCalls } from '../entrance/open-calls.js';
import { refuse } from '../http.refusals.js';

/** Size limit of a message, in bytes. A larger message ends the connection with code 1009. */
const largestMessage = 64 * 1024;
/** The only subprotocol that the server selects. Clients may offer a second one, which contains their session. */
export const subprotocol = 'countersign';

interface UpgradeRequest {
  readonly socket: Socket;
  readonly head: Buffer;
}

export const wantsSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';

/**
 * WebSocket handshakes take the normal routes, so that the hosts, doors, rate limits and refusals of all other requests
 * apply to them.
 */
@Injectable()
export class SocketUpgrades {
  private readonly asked = new WeakMap<IncomingMessage, UpgradeRequest>();
  private readonly protocol = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: largestMessage,
    maxFragments: 1_024,
    maxBufferedChunks: 4_096,
    // No compression: messages are short, and it would take memory for each connection.
    perMessageDeflate: false,
    autoPong: false,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  });

  constructor(private readonly calls: OpenCalls) {}

  /** Must be called once, after the server's request handler was added. */
  watch({ server }: FastifyInstance): void {
    server.on('upgrade', (raw: IncomingMessage, stream: Socket, head: Buffer) => {
      stream.on('error', () => stream.destroy());
      stream.once('timeout', () => stream.destroy());
      const response = new ServerResponse(raw);
      response.assignSocket(stream);
      // If the route responds instead of opening a WebSocket, the connection is closed after the response.
      response.shouldKeepAlive = false;
      response.once('finish', () => stream.destroySoon());
      this.asked.set(raw, { socket: stream, head });
      server.emit('request', raw, response);
    });
  }

  /**
   * Must be called before anything is reserved for the connection.
   * @throws Refusal websocket-wanted
   */
  mustBeAsked({ raw }: { readonly raw: IncomingMessage }): void {
    const { headers } = raw;
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    if (!this.asked.has(raw) || hasBody || headers['sec-websocket-version'] !== '13') refuse('websocket-wanted');
  }

  /**
   * After this call, the request can no longer be refused. Returns undefined if the client has disconnected. The
   * library itself refuses an invalid handshake.
   */
  open(reply: FastifyReply): Promise<{ readonly client: WebSocket; readonly socket: Socket } | undefined> {
    const { raw: response, request } = reply;
    const asked = this.asked.get(request.raw);
    if (asked === undefined) throw new Error('A WebSocket was opened without an upgrade request.');
    const { socket, head } = asked;
    this.asked.delete(request.raw);
    reply.hijack();
    this.calls.forget(request);
    response.detachSocket(socket);
    socket.setTimeout(0);
    return new Promise((resolve) => {
      if (socket.destroyed) return resolve(undefined);
      const gone = () => resolve(undefined);
      socket.once('close', gone);
      this.protocol.handleUpgrade(request.raw, socket, head, (client) => {
        socket.off('close', gone);
        resolve({ client, socket });
      });
    });
  }
}
