import type { Socket } from 'node:net';

/** In the order they are sent; a name may stand more than once (Set-Cookie). Case does not matter in names. */
export type EgressHeaders = readonly (readonly [name: string, value: string])[];

export interface EgressContent {
  /** http or https, without a user in it. */
  readonly url: string;
  readonly headers: EgressHeaders;
  readonly body?: Uint8Array | undefined;
}

/** One request to one host: the first, or one that a redirect asks for. */
export interface EgressHop extends EgressContent {
  readonly method: string;
  /** Lower case, ASCII, without port, brackets or a dot at the end. */
  readonly host: string;
  /** The `Location` that asked for this hop, in the server's own words; undefined for the first. */
  readonly location: string | undefined;
  /**
   * Whether every address that the hop may connect to is one that the operator allowed by name. The connection goes to
   * the very addresses that were judged here. @throws EgressRefused, EgressFailed
   */
  allowedByOperator(): Promise<boolean>;
}

export interface EgressFilled extends EgressContent {
  /**
   * Whoever filled has to be able to read the answer as text: it is asked for in codings that are undone here, never in
   * pieces, and one that could not be undone is a failure.
   */
  readonly readable?: boolean;
}

/**
 * Puts secrets into a hop. It is asked anew for every hop, always with the form that holds none, so that it answers for
 * that host alone; where it has no secret for the host, it leaves the marker. It may add headers, but stays at the host.
 * Markers in addresses have to be made of what URLs leave as it is (letters, digits, hyphens, underscores), and values
 * there are the filler's to encode.
 */
export type EgressFill = (hop: EgressHop) => EgressFilled | Promise<EgressFilled>;

export interface EgressRequest extends EgressContent {
  readonly method: string;
  readonly fill?: EgressFill;
  /** Default: true. Else a redirect is the answer. */
  readonly followRedirects?: boolean;
  readonly limits?: Partial<EgressLimits>;
  readonly signal?: AbortSignal | undefined;
}

export interface EgressLimits {
  readonly requestBytes: number;
  /** Of the body, both as it comes and decompressed. */
  readonly responseBytes: number;
  /** Of the request line and headers, and of the status line and headers. */
  readonly headerBytes: number;
  readonly headerCount: number;
  readonly redirects: number;
  /** From the call to the last byte of the answer, all redirects in it. */
  readonly timeoutMs: number;
  /** To find the host's address, connect and agree on TLS, for each hop. */
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
  /** Of the hop that answered, as it was before secrets were filled in. */
  readonly url: string;
  readonly redirected: boolean;
}

export interface EgressConnection {
  /** A name, or an address in any notation. */
  readonly host: string;
  readonly port: number;
  readonly connectMs?: number;
  /** Ends the attempt, and later the connection. */
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
  /** The answer of `fill` leads elsewhere: a fault of the one who filled. */
  | 'fill';

export type EgressFailureKind =
  | 'dns'
  | 'connection-refused'
  | 'unreachable'
  | 'tls'
  | 'reset'
  | 'timeout'
  | 'too-large'
  /** What came is not HTTP, or not compressed as it says. */
  | 'protocol'
  /** By the caller's signal. */
  | 'stopped';

/** A no of ours, before anything was sent to that host. The sentence is for the author: no path, query or value in it. */
export class EgressRefused extends Error {
  override readonly name = 'EgressRefused';

  constructor(
    readonly kind: EgressRefusalKind,
    sentence: string,
  ) {
    super(sentence);
  }
}

/** What befell the request on its way. It may have arrived, unless no connection was made. The sentence is as above. */
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
 * The one way out for whatever the service does on behalf of customers. It goes to public addresses and to those the
 * operator allowed, to nothing else: a name is looked up once, each address is judged, and the connection is made to a
 * judged address. Nothing is kept from one call to the next: no connection, no cookie, no cached answer; no proxy.
 */
export abstract class Egress {
  /**
   * Any status is an answer. Redirects are followed, each judged like a first request: 301, 302 and 303 become a GET (a
   * HEAD stays one) without body, 307 and 308 stay what they are, and https never leads to http. At another origin
   * Authorization and Cookie are left out, and so is, for good, each header and the body that `fill` had filled and does
   * not fill now. gzip, br and deflate are undone. Sent once, never repeated.
   * @throws EgressRefused, EgressFailed, and whatever `fill` throws
   */
  abstract send(request: EgressRequest): Promise<EgressResponse>;

  /**
   * A plain connection, for other protocols; TLS and its verification, for the host's name, are the caller's on top of
   * it. The socket is the caller's to destroy. (nodemailer takes one from its `getSocket`. It gets no lookup function,
   * because sockets skip that for a host that is an address.)
   * @throws EgressRefused, EgressFailed
   */
  abstract connect(to: EgressConnection): Promise<Socket>;
}
