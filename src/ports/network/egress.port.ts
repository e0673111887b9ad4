import type { Socket } from 'node:net';

/** Sent in this order. Names are case-insensitive and may be repeated (Set-Cookie). */
export type EgressHeaders = readonly (readonly [name: string, value: string])[];

export interface EgressContent {
  /** An http or https URL without user name or password. */
  readonly url: string;
  readonly headers: EgressHeaders;
  readonly body?: Uint8Array | undefined;
}

export interface EgressHop extends EgressContent {
  readonly method: string;
  /** Lower case and ASCII, without port, brackets or trailing dot. */
  readonly host: string;
  readonly location: string | undefined;
  /**
   * Whether the operator explicitly allowed every address to which the hop may connect. The connection is then made to
   * exactly the addresses checked here.
   * @throws EgressRefused, EgressFailed
   */
  allowedByOperator(): Promise<boolean>;
}

export interface EgressFilled extends EgressContent {
  /**
   * Set if the response must be searchable as text. The request then accepts only content codings that the port
   * decodes, and no ranges. A response that cannot be decoded fails.
   */
  readonly readable?: boolean;
}

/**
 * Replaces the markers in a request by secrets. Called for every hop, i.e. for the first request and each redirect,
 * with the markers still in place, so each call decides about one host. A marker whose secret may not go to that host
 * remains. The function may add headers but must not change the host. Markers in URLs must consist of characters that
 * URLs do not encode (letters, digits, hyphens, underscores); the function must encode the values that it inserts.
 */
export type EgressFill = (hop: EgressHop) => EgressFilled | Promise<EgressFilled>;

export interface EgressRequest extends EgressContent {
  readonly method: string;
  readonly fill?: EgressFill;
  /** If false, a redirect is returned as the response. Default: true. */
  readonly followRedirects?: boolean;
  readonly limits?: Partial<EgressLimits>;
  readonly signal?: AbortSignal | undefined;
}

export interface EgressLimits {
  readonly requestBytes: number;
  /** Applies to the received and to the decompressed size of the body. */
  readonly responseBytes: number;
  /** Limit of the request line with its headers, and separately of the status line with its headers. */
  readonly headerBytes: number;
  readonly headerCount: number;
  readonly redirects: number;
  /** Time limit from the call to the last byte of the response, including redirects. */
  readonly timeoutMs: number;
  /** Time limit for DNS, connecting and the TLS handshake together, per hop. */
  readonly connectMs: number;
}

export const EGRESS_LIMITS: EgressLimits = {
  requestBytes: 10 * 1024 * 1024,
  responseBytes: 10 * 1024 * 1024,
  headerBytes: 32 * 1024,
  headerCount: 200,
  redirects: 5,
  timeoutMs: 30_000,
  connectMs: 10_000,
};

export interface EgressResponse {
  readonly status: number;
  readonly headers: EgressHeaders;
  readonly body: Uint8Array;
  readonly url: string;
  readonly redirected: boolean;
}

export interface EgressStreamRequest extends EgressRequest {
  /**
   * Longest wait for the next chunk of the body, in milliseconds. Default: 30,000. `timeoutMs` still limits the whole
   * response.
   */
  readonly idleMs?: number;
}

export interface EgressStream extends Omit<EgressResponse, 'body'> {
  /**
   * Decompressed; can be read once. Read-ahead is limited to the connection's buffers. If the reader stops early, the
   * connection is closed.
   * @throws EgressFailed
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** A waiting reader fails with `stopped`. Must be called if the body is not read. */
  close(): void;
}

export interface EgressConnection {
  /** A name, or an IP address in any notation. */
  readonly host: string;
  readonly port: number;
  readonly connectMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export type EgressRefusalKind =
  | 'url'
  | 'port'
  | 'address'
  | 'method'
  | 'header'
  | 'too-large'
  | 'redirect'
  /** The function `fill` changed the host, which is a bug of that function. */
  | 'fill';

export type EgressFailureKind =
  | 'dns'
  | 'connection-refused'
  | 'unreachable'
  | 'tls'
  | 'reset'
  | 'timeout'
  | 'too-large'
  | 'protocol'
  | 'stopped';

/**
 * Nothing was sent to the host. The sentence is for the author of the request and contains no path, query or values.
 */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';

  constructor(
    readonly kind: EgressRefusalKind,
    sentence: string,
  ) {
    super(sentence);
  }
}

/**
 * The request was allowed but failed. It may have reached the host, unless no connection was made. The sentence
 * contains no path, query or values.
 */
export class EgressFailed extends Error {
  override readonly name = 'EgressFailed';

  constructor(
    readonly kind: EgressFailureKind,
    sentence: string,
  ) {
    super(sentence);
  }
}

/**
 * The only way out for connections made on behalf of customers. It reaches only public addresses and those that the
 * operator allowed: a name is resolved once, each address is checked, and the connection is made to a checked address.
 * No connection, cookie or response is retained between calls. No proxy is used.
 */
export abstract class Egress {
  /**
   * Sends a request once and never retries it. Any status is a response. Redirects are followed, and each is checked
   * like a first request; a redirect from https to http is refused. After 301, 302 and 303 the request becomes a GET
   * without body (a HEAD stays a HEAD); after 307 and 308 it is unchanged. Authorization and Cookie are not sent to
   * another origin. If `fill` put a secret into a header or body for an earlier hop but not for this one, that header
   * or body is dropped from then on. gzip, br and deflate are decoded.
   * @throws EgressRefused, EgressFailed, and what `fill` throws
   */
  abstract send(request: EgressRequest): Promise<EgressResponse>;

  /**
   * Resolves when the head of the response has arrived. The limits of the body apply while it is read, and `signal`
   * also aborts reading.
   * @throws like `send`
   */
  abstract stream(request: EgressStreamRequest): Promise<EgressStream>;

  /**
   * Opens a plain TCP connection for other protocols. The caller adds TLS, verifies the certificate against the host's
   * name, and destroys the socket. A function for the `lookup` option of Node's sockets would not be enough, because
   * sockets do not call it for an IP address.
   * @throws EgressRefused, EgressFailed
   */
  abstract connect(to: EgressConnection): Promise<Socket>;
}
