import { once } from 'node:events';
import WebSocket, { type ClientOptions } from 'ws';
import type { TestApp } from '../app.js';

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every form.
type Message = any;

/** A visitor's socket, with all messages that it received. */
export class RealtimeClient {
  readonly received: Message[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  private asked = 0;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data) => this.received.push(JSON.parse(String(data))));
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: String(reason) };
    });
    socket.on('error', () => undefined);
  }

  /** Opens a socket. If it is refused, rejects with the status and the code of the response. */
  static open(app: Pick<TestApp, 'url'>, projectId: string, pass?: string, more: ClientOptions = {}) {
    const headers = { ...(pass === undefined ? {} : { 'x-site-session': pass }), ...more.headers };
    return RealtimeClient.at(`${app.url.replace('http', 'ws')}/api/app/${projectId}/realtime`, [], {
      ...more,
      headers,
    });
  }

  static at(url: string, protocols: string[], options: ClientOptions = {}): Promise<RealtimeClient> {
    const socket = new WebSocket(url, protocols, options);
    const client = new RealtimeClient(socket);
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(client));
      socket.once('error', reject);
      socket.once('unexpected-response', (_request, response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const body = String(Buffer.concat(chunks));
          reject(new Refused(response.statusCode ?? 0, body.startsWith('{') ? JSON.parse(body).code : body));
        });
      });
    });
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Sends a message and returns the response. */
  async ask(message: object): Promise<Message> {
    this.asked += 1;
    const id = this.asked;
    this.send({ ...message, id });
    return this.next((one) => one.id === id);
  }

  subscribe(channel: string): Promise<Message> {
    return this.ask({ type: 'subscribe', channel });
  }

  /** Sends a message. Returns `subscribed`, or the code of the refusal. */
  async outcome(message: object): Promise<string> {
    const { type, code } = await this.ask(message);
    return type === 'refused' || type === 'error' ? code : type;
  }

  listens(channel: string): Promise<string> {
    return this.outcome({ type: 'subscribe', channel });
  }

  async next(which: (message: Message) => boolean): Promise<Message> {
    for (const signal = AbortSignal.timeout(30_000); ; await once(this.socket, 'message', { signal })) {
      const found = this.received.find(which);
      if (found !== undefined) return found;
    }
  }

  /** Returns the data received on a channel. */
  heard(channel: string): Message[] {
    return this.received.filter((one) => one.type === 'message' && one.channel === channel).map(({ data }) => data);
  }

  /** Resolves when everything that was sent to the socket before has arrived. */
  async settled(): Promise<void> {
    await this.ask({ type: 'ping' });
  }

  close(): void {
    this.socket.terminate();
  }
}

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(`${status} ${code}`);
  }
}
