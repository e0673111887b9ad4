import type { Socket } from 'node:net';
import { refusalOf } from '../http.refusals.js';

/**
 * Maximum number of connections closed in one turn of the event loop. Many thousands can time out at once, and other
 * work must not wait for all of them.
 */
const atATime = 50;

const outOfTime: Socket[] = [];

const tooSlow = answer(
  408,
  'Request Timeout',
  'request-too-slow',
  'The request did not arrive in time; send it again.',
);
const headersTooLarge = answer(
  431,
  'Request Header Fields Too Large',
  'headers-too-large',
  'The headers are larger than 16 KB; send less in them.',
);
const badRequest = refusalOf('bad-request');
const unreadable = answer(400, 'Bad Request', badRequest.code, badRequest.message, badRequest.facts);

/**
 * Connections on which a response was sent before the request's body had arrived. No second response may be sent for
 * that request, because the client would take it for the response to its next request.
 */
export const answeredEarly = new WeakSet<Socket>();

export function endBrokenRequest(error: Error, socket: Socket): void {
  const code = 'code' in error ? error.code : undefined;
  if (code !== 'ERR_HTTP_REQUEST_TIMEOUT') {
    end(socket, code === 'HPE_HEADER_OVERFLOW' ? headersTooLarge : unreadable);
    return;
  }
  endSlowRequest(socket);
}

export function endSlowRequest(socket: Socket): void {
  outOfTime.push(socket);
  if (outOfTime.length === 1) setImmediate(endSome);
}

function endSome(): void {
  for (const socket of outOfTime.slice(0, atATime)) end(socket, tooSlow);
  outOfTime.splice(0, atATime);
  if (outOfTime.length > 0) setImmediate(endSome);
}

function end(socket: Socket, text: string): void {
  if (socket.writable && socket.bytesRead > 0 && !answeredEarly.has(socket)) socket.write(text);
  socket.destroy();
}

function answer(status: number, title: string, code: string, detail: string, facts: object = {}): string {
  const body = JSON.stringify({ type: `urn:problem:${code}`, title, status, detail, code, ...facts });
  const head = [`HTTP/1.1 ${status} ${title}`, 'Content-Type: application/problem+json', 'Connection: close'];
  return `${[...head, `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`;
}
