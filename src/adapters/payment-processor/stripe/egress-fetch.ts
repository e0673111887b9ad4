import { type Egress, EgressFailed, EgressRefused } from '../../../ports/egress.port.js';

/** Written by the egress client itself. */
const ownHeaders = ['content-length', 'connection', 'host'];

/** `fetch` over the one way out, as the processor's library calls it. No redirect is followed. */
export function fetchOver(egress: Egress): typeof fetch {
  return async (input, init = {}) => {
    const headers = [...new Headers(init.headers)].filter(([name]) => !ownHeaders.includes(name));
    try {
      const {
        status,
        headers: answered,
        body,
      } = await egress.send({
        url: String(input),
        method: init.method ?? 'GET',
        headers,
        ...(typeof init.body === 'string' && init.body !== '' ? { body: Buffer.from(init.body, 'utf8') } : {}),
        followRedirects: false,
        ...(init.signal ? { signal: init.signal } : {}),
      });
      const content = status === 204 || status === 304 ? null : Buffer.from(body);
      return new Response(content, { status, headers: answered.map(([name, value]) => [name, value]) });
    } catch (error) {
      // The library asks for the reason of a signal that it aborted itself.
      if (init.signal?.aborted) throw new DOMException('The request was called off.', 'AbortError');
      if (error instanceof EgressFailed || error instanceof EgressRefused) throw new TypeError(error.message);
      throw error;
    }
  };
}
