import { type Egress, EgressFailed, type EgressLimits, EgressRefused } from '../../ports/network/egress.port.js';

const ownHeaders = ['content-length', 'connection', 'host'];

/** Omitted from the response, because the egress client has already decoded the body. */
const headersOfTheWire = ['content-encoding', 'content-length'];

interface Sent {
  readonly method?: string;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: unknown;
  readonly signal?: AbortSignal | null | undefined;
}

/**
 * Redirects are not followed. If the egress client refuses or fails, rejects with a TypeError, as `fetch` does, with
 * the original error as the cause.
 */
export function fetchOver(
  egress: Egress,
  limits: Partial<EgressLimits> = {},
): (url: string | URL | Request, request?: Sent) => Promise<Response> {
  return async (url, { method = 'GET', body, signal, ...request } = {}) => {
    const headers = [...new Headers(request.headers)].filter(([name]) => !ownHeaders.includes(name));
    const sent = bytesOf(body);
    try {
      const { status, ...answer } = await egress.send({
        url: String(url),
        method,
        headers,
        ...(sent === undefined ? {} : { body: sent }),
        followRedirects: false,
        limits,
        ...(signal ? { signal } : {}),
      });
      const hasBody = answer.body.length > 0 && status !== 204 && status !== 304;
      const answered = answer.headers.filter(([name]) => !headersOfTheWire.includes(name.toLowerCase()));
      return new Response(hasBody ? Buffer.from(answer.body) : null, {
        status,
        headers: answered.map(([name, value]) => [name, value]),
      });
    } catch (error) {
      // A caller that aborted the signal expects an AbortError.
      if (signal?.aborted) throw new DOMException('The request was cancelled.', 'AbortError');
      if (error instanceof EgressFailed || error instanceof EgressRefused) {
        throw new TypeError(error.message, { cause: error });
      }
      throw error;
    }
  };
}

function bytesOf(body: unknown): Uint8Array | undefined {
  if (body === undefined || body === null || body === '') return undefined;
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (typeof body === 'string' || body instanceof URLSearchParams) return Buffer.from(String(body), 'utf8');
  throw new TypeError('A body of this type cannot be sent.');
}
