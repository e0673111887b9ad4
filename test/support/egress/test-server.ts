import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import type { Certificate } from './certificates.js';

/** A request as the server received it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** Server name that the client sent in the TLS handshake. */
  readonly serverName: string | undefined;
}

type Respond = (seen: Seen, response: ServerResponse) => void;

/** A server on loopback that records its requests and open connections. */
export class TestServer {
  readonly seen: Seen[] = [];
  readonly open = new Set<Socket>();
  connections = 0;

  private constructor(private readonly server: TcpServer) {
    server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.open.add(socket);
      socket.on('error', () => undefined).once('close', () => this.open.delete(socket));
    });
  }

  static async http(respond: Respond, { tls, host }: { tls?: Certificate; host?: string } = {}): Promise<TestServer> {
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const { method = '', url: path = '', headers, rawHeaders } = request;
      const serverName = (request.socket as Partial<TLSSocket>).servername || undefined;
      const one = { method, path, headers, rawHeaders, serverName, body: (await buffer(request)).toString() };
      server.seen.push(one);
      respond(one, response);
    };
    const take = (request: IncomingMessage, response: ServerResponse) =>
      void answer(request, response).catch(() => undefined);
    const inner: Server = tls ? createTlsServer(tls, take) : createServer(take);
    const server = new TestServer(inner);
    return await server.listen(host);
  }

  /** Starts a server that does not speak HTTP, or does so incorrectly. */
  static async raw(talk: (socket: Socket) => void): Promise<TestServer> {
    return await new TestServer(createTcpServer(talk)).listen();
  }

  get port(): number {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The test server does not listen.');
    return address.port;
  }

  url(host = '127.0.0.1', path = '/', scheme = 'http'): string {
    return `${scheme}://${host}:${this.port}${path}`;
  }

  async close(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async listen(host = '127.0.0.1'): Promise<this> {
    await new Promise<void>((resolve, reject) => this.server.once('error', reject).listen(0, host, resolve));
    return this;
  }
}
