import type { Socket } from 'node:net';

/** In the order they are sent. A name may be repeated (Set-Cookie) and is case-insensitive. */
export type EgressHeaders = readonly (readonly [name: string, value: string])[];

export interface EgressContent {
  /** http or https, without user name or password. */
  readonly url: string;
  readonly headers: EgressHeaders;
  readonly body?: Uint8Array | undefined;
}

/** One request to one host: the first, or one that follows a redirect. */
export interface EgressHop extends EgressContent {
  readonly method: string;
  /** Lower case, ASCII, without port, brackets or a dot at the end. */
  readonly host: string;
  /** The `Location` header that led to this hop, unchanged; undefined for the first. */
  readonly location: string | undefined;
  /**
   * Whether the operator explicitly allowed every address that the hop may connect to. The connection is then made to
   * exactly the addresses checked here. @throws EgressRefused, EgressFailed
   */
  allowedByOperator(): Promise<boolean>;
}

export interface EgressFilled extends EgressContent {
  /**
   * The filler must be able to search the answer as text. So only content codings that are decoded here are requested,
   * never a range, and an answer that cannot be decoded is a failure.
   */
  readonly readable?: boolean;
}

/**
 * Puts secrets into a hop. Called for every hop with the unfilled request, so that each decision concerns one host. If
 * it has no secret for the host, it leaves the marker. It may add headers but must not change the host. Markers in URLs
 * must consist of characters that URLs do not encode (letters, digits, hyphens, underscores); the filler encodes the
 * values it inserts.
 */
export type EgressFill = (hop: EgressHop) => EgressFilled | Promise<EgressFilled>;

export interface EgressRequest extends EgressContent {
  readonly method: string;
  readonly fill?: EgressFill;
  /** Default: true. If false, a redirect is returned as the answer. */
  readonly followRedirects?: boolean;
  readonly limits?: Partial<EgressLimits>;
  readonly signal?: AbortSignal | undefined;
}

export interface EgressLimits {
  readonly requestBytes: number;
  /** For the body, both as received and decompressed. */
  readonly responseBytes: number;
  /** For the request line and headers, and for the status line and headers. */
  readonly headerBytes: number;
  readonly headerCount: number;
  readonly redirects: number;
  /** From the call to the last byte of the answer, including redirects. */
  readonly timeoutMs: number;
  /** For DNS, connecting and the TLS handshake, per hop. */
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
  /** Names in lower case. */
  readonly headers: EgressHeaders;
  readonly body: Uint8Array;
  /** URL of the hop that answered, before secrets were filled in. */
  readonly url: string;
  readonly redirected: boolean;
}

export interface EgressStreamRequest extends EgressRequest {
  /**
   * The longest wait for the next piece while somebody reads, default 30 s. `timeoutMs` goes on counting for the whole
   * answer, so a long one raises it.
   */
  readonly idleMs?: number;
}

/** An answer whose body is still to come. */
export interface EgressStream extends Omit<EgressResponse, 'body'> {
  /**
   * Decompressed, in the order received; no further ahead than the connection buffers. Can be read once. A reader that
   * stops ends the connection. @throws EgressFailed
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends the connection; a reader that waits fails as `stopped`. It has to be called if the body is not read. */
  close(): void;
}

export interface EgressConnection {
  /** A name, or an address in any notation. */
  readonly host: string;
  readonly port: number;
  readonly connectMs?: number;
  /** Aborts the attempt and, once connected, the connection. */
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
  /** `fill` changed the host: a bug in the filler. */
  | 'fill';

export type EgressFailureKind =
  | 'dns'
  | 'connection-refused'
  | 'unreachable'
  | 'tls'
  | 'reset'
  | 'timeout'
  | 'too-large'
  /** The response is not HTTP, or not compressed as it claims. */
  | 'protocol'
  /** Aborted by the caller's signal. */
  | 'stopped';

/** Refused before anything was sent to that host. The sentence is for the author, without path, query and values. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';

  constructor(
    readonly kind: EgressRefusalKind,
    sentence: string,
  ) {
    super(sentence);
  }
}

/** The request failed on its way. It may have arrived, unless no connection was made. The sentence is as above. */
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
 * The only way out for connections made on behalf of customers. It reaches public addresses and those the operator
 * allowed, nothing else: a name is resolved once, each address is checked, and the connection is made to a checked
 * address. No connection, cookie or answer is retained between calls. No proxy is used.
 */
export abstract class Egress {
  /**
   * Any status is an answer. Redirects are followed, and each is checked like a first request: after 301, 302 and 303
   * the request becomes a GET without body (a HEAD stays a HEAD), after 307 and 308 it is unchanged, and https never
   * leads to http. At another origin Authorization and Cookie are dropped. A header or body that `fill` filled before
   * and does not fill now is dropped from then on. gzip, br and deflate are decoded. Sent once, never retried.
   * @throws EgressRefused, EgressFailed, and what `fill` throws
   */
  abstract send(request: EgressRequest): Promise<EgressResponse>;

  /**
   * As `send`, but resolves with the head of the answer. The limits of the body hold as it is read, `signal` also ends
   * the reading. @throws as `send`
   */
  abstract stream(request: EgressStreamRequest): Promise<EgressStream>;

  /**
   * A plain connection for other protocols. The caller adds TLS, verifies the certificate for the host's name, and
   * destroys the socket. (nodemailer takes a socket from its `getSocket`. We do not pass it a lookup function, because
   * sockets skip that for an address.) @throws EgressRefused, EgressFailed
   */
  abstract connect(to: EgressConnection): Promise<Socket>;
}
