import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { EgressHeaders, EgressLimits } from '../../../ports/network/egress.port.js';

export interface HttpMessage {
  readonly method: string;
  readonly url: URL;
  readonly headers: EgressHeaders;
  readonly body?: Uint8Array | undefined;
}

/**
 * Methods whose requests usually have no body. For other methods, an empty body is announced with Content-Length: 0.
 */
const mostlyWithoutBody = ['GET', 'HEAD', 'OPTIONS', 'DELETE'];

export async function exchange(
  socket: Socket,
  message: HttpMessage,
  { headerBytes }: EgressLimits,
): Promise<IncomingMessage> {
  const { method, url, body } = message;
  const request = httpRequest({
    createConnection: () => socket,
    method,
    path: url.pathname + url.search,
    headers: headersOf(message).flat(),
    maxHeaderSize: headerBytes,
    insecureHTTPParser: false,
  });
  // No limit here, because Node would silently drop the headers beyond it.
  request.maxHeadersCount = 0;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.on('response', (answer) => {
    resolve(answer);
    // Without this listener, the reader of the body would see every error as a connection reset.
    request.on('error', (error) => answer.destroy(error));
  });
  request.on('error', reject).on('upgrade', () => reject(new UnaskedUpgrade()));
  request.end(body);
  return await promise;
}

/** The code has the prefix of Node's parser errors (HPE_), so this failure is reported like one of them. */
class UnaskedUpgrade extends Error {
  readonly code = 'HPE_UNASKED_UPGRADE';
}

function headersOf({ method, url, headers, body }: HttpMessage): EgressHeaders {
  const has = (header: string) => headers.some(([name]) => name.toLowerCase() === header);
  const length = body?.length ?? (mostlyWithoutBody.includes(method) ? undefined : 0);
  return [
    ['Host', url.host],
    ...headers,
    ...(has('user-agent') ? [] : [['User-Agent', 'Countersign'] as const]),
    // A range of a compressed body cannot be decompressed, so compression is not accepted for it.
    ...(has('accept-encoding') ? [] : [['Accept-Encoding', has('range') ? 'identity' : 'gzip, br'] as const]),
    ['Connection', 'close'],
    ...(length === undefined ? [] : [['Content-Length', String(length)] as const]),
  ];
}
