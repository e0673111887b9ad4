import type { CustomFetch } from 'openid-client';
import { Egress } from '../../../ports/egress.port.js';

/** No answer of a provider is larger. */
const limits = { responseBytes: 1024 * 1024, timeoutMs: 10_000 };

/** The library's requests, over our own client: addresses are checked, redirects are not followed. */
export function fetchOver(egress: Egress): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const {
      status,
      headers: answered,
      body: bytes,
    } = await egress.send({
      url,
      method,
      headers: Object.entries(headers),
      body: bytesOf(body),
      followRedirects: false,
      limits,
      signal,
    });
    const hasBody = bytes.length > 0 && status !== 204 && status !== 304;
    const decoded = answered.filter(([name]) => name !== 'content-encoding' && name !== 'content-length');
    return new Response(hasBody ? Buffer.from(bytes) : null, { status, headers: decoded.map(([n, v]) => [n, v]) });
  };
}

function bytesOf(body: unknown): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (typeof body === 'string' || body instanceof URLSearchParams) return Buffer.from(String(body), 'utf8');
  throw new TypeError('Such a body is not sent to a provider.');
}
