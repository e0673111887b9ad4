import {
  type Egress,
  EgressFailed,
  type EgressFilled,
  type EgressHop,
  EgressRefused,
  type EgressStream,
} from '../../../ports/network/egress.port.js';
import { type ToolLimits, type ToolServer, ToolServerFailed } from '../../../ports/network/tool-servers.port.js';

/** Maximum size of a response, in bytes. Applies to streams of events too. */
const largestAnswer = 10 * 1024 * 1024;
const mostRedirects = 3;
/**
 * Maximum length of a message and of a description. It is far above what is shown, so that a secret that is cut here is
 * not shown in part: callers hide secrets first and only then shorten the text.
 */
export const longestText = 20_000;

interface Sent {
  readonly method?: string;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: unknown;
  readonly signal?: AbortSignal | null | undefined;
}

type Fetch = (url: string | URL, request?: Sent) => Promise<Response>;

/** Follows redirects only within the server's origin, so the server's headers are not sent to another server. */
export function serverFetch(egress: Egress, server: ToolServer, { timeoutMs }: ToolLimits): Fetch {
  const { origin } = new URL(server.url);
  const fill = async (hop: EgressHop): Promise<EgressFilled> => {
    if (server.headers.length > 0 && hop.url.startsWith('http:') && !(await hop.allowedByOperator())) {
      throw new EgressRefused('url', 'A key is sent only over https; change the address of the connection to https.');
    }
    return { ...hop, headers: [...hop.headers, ...server.headers] };
  };
  return async (to, { method = 'GET', headers, body, signal } = {}) => {
    // With this transport, a GET would only open a stream of events, which a server need not offer and which is not
    // read here.
    if (method === 'GET' && server.transport === 'http') return new Response(null, { status: 405 });
    const own = [...new Headers(headers)].filter(([name]) => name !== 'content-length');
    let url = new URL(to);
    for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
      if (url.origin !== origin)
        throw new ToolServerFailed('The server redirects to another address; connect to that one.');
      const answer = await egress.stream({
        url: url.href,
        method,
        headers: own,
        ...(typeof body === 'string' ? { body: Buffer.from(body, 'utf8') } : {}),
        fill,
        followRedirects: false,
        limits: { responseBytes: largestAnswer, timeoutMs },
        idleMs: timeoutMs,
        ...(signal ? { signal } : {}),
      });
      const location = answer.headers.find(([name]) => name === 'location')?.[1];
      if (![307, 308].includes(answer.status) || location === undefined) return responseOf(answer);
      answer.close();
      url = URL.parse(location, url.href) ?? url;
    }
    throw new ToolServerFailed(`The server redirects more than ${mostRedirects} times; connect to the last address.`);
  };
}

function responseOf({ status, headers, body, close }: EgressStream): Response {
  const shown = headers.filter(([name]) => !['content-encoding', 'content-length'].includes(name));
  const init = { status, headers: shown.map(([name, value]): [string, string] => [name, value]) };
  if ([204, 205, 304].includes(status)) {
    close();
    return new Response(null, init);
  }
  return new Response(ReadableStream.from(body) as ReadableStream<Uint8Array>, init);
}

export function toolServerFailureOf(error: unknown): ToolServerFailed {
  if (error instanceof ToolServerFailed) return error;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof EgressFailed || cause instanceof EgressRefused) return new ToolServerFailed(cause.message);
  return new ToolServerFailed(sentenceOf(error));
}

function sentenceOf(error: unknown): string {
  const { message = '', code } = (error ?? {}) as { readonly message?: unknown; readonly code?: unknown };
  if (code === -32_001) return 'The server did not answer in time; ask for less, or try again later.';
  if (code === 401 || code === 403 || (error instanceof Error && error.constructor.name === 'UnauthorizedError')) {
    return 'The server refuses the key of this connection; set another with updateMcpConnection.';
  }
  if (typeof code === 'number' && code >= 300 && code < 600) return `The server answered with the status ${code}.`;
  return `The server answered: ${String(message).slice(0, longestText)}`;
}
