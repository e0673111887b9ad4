import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from '../eventually.js';

/** A request that is sent piece by piece, as slow and hostile clients do. */
export interface RawRequest {
  readonly socket: Socket;
  send(bytes: string | Uint8Array): void;
  /** Waits for the response. Returns its status and, if it is JSON, its body. */
  answer(): Promise<{ readonly status: number; readonly head: string; readonly body: Record<string, unknown> }>;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
}

/** Opens a connection, and sends the first line and these headers. */
export async function rawRequest(
  { url }: { readonly url: string },
  line: string,
  headers: Readonly<Record<string, string | number>> = {},
): Promise<RawRequest> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let told = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  socket.on('error', () => undefined);
  const closed = once(socket, 'close').then(() => undefined);
  await once(socket, 'connect');
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${line} HTTP/1.1\r\n${lines.join('')}\r\n`);
  return {
    socket,
    closed,
    send: (bytes) => void socket.write(bytes),
    answer: async () => {
      await eventually(async () => isWhole(told) || socket.destroyed, Boolean);
      if (!isWhole(told)) throw new Error('The connection ended without an answer.');
      const [head = '', body = ''] = told.split('\r\n\r\n');
      return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body: JSON.parse(body) };
    },
  };
}

function isWhole(told: string): boolean {
  const [head = '', body] = told.split('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return body !== undefined && length !== undefined && Buffer.byteLength(body) >= Number(length);
}
