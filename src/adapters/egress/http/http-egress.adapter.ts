import { lookup } from 'node:dns/promises';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { canonicalHost } from '../../../kernel/text/host-name.js';
import type { Clock } from '../../../ports/clock.port.js';
import {
  EGRESS_LIMITS,
  Egress,
  type EgressConnection,
  type EgressFill,
  type EgressHeaders,
  type EgressLimits,
  EgressRefused,
  type EgressRequest,
  type EgressResponse,
  type EgressStream,
  type EgressStreamRequest,
} from '../../../ports/network/egress.port.js';
import { AddressGuard, type GuardedAddresses, type ResolveHost } from './address-guard.js';
import { httpAnswerOf } from './answer.js';
import { agreeOnTls, connectTo } from './connection.js';
import { exchange } from './exchange.js';
import { egressFailureOf, tlsFailureOf } from './failure.js';
import { type FilledHop, fillHop, firstDraft, type HopDraft } from './hop.js';
import { asksToGoOn, redirected } from './redirect.js';
import { checkMessage } from './request-rules.js';
import { StreamedBody } from './streamed-body.js';
import { RunningTime, withinTimeLimit } from './within.js';
import { timeInWords } from './words.js';

export interface HttpEgressOptions {
  readonly clock: Clock;
  /** The list EGRESS_ALLOW: hosts as returned by `canonicalHost`, addresses and CIDRs. */
  readonly allow: readonly string[];
  readonly resolve?: ResolveHost;
  /** Certificates of issuers that are trusted instead of the usual ones. */
  readonly ca?: readonly string[];
}

interface RequestSettings {
  readonly addresses: () => Promise<GuardedAddresses>;
  readonly limits: EgressLimits;
  readonly follow: boolean;
  readonly idleMs: number | undefined;
  readonly time: RunningTime;
}

interface StartedResponse {
  readonly status: number;
  readonly headers: EgressHeaders;
  readonly body: StreamedBody;
}

interface ConnectionTarget {
  readonly host: string;
  readonly addresses: () => Promise<GuardedAddresses>;
  readonly port: number;
  readonly secure: boolean;
  readonly connectMs: number;
  readonly signal: AbortSignal | undefined;
}

const bySystem: ResolveHost = (host) => lookup(host, { all: true, order: 'verbatim' });

/**
 * Each request has its own connection. So a smuggled response cannot reach another customer's request, and the address
 * of every connection has just been checked.
 */
export class HttpEgress extends Egress {
  private readonly guard: AddressGuard;

  constructor(private readonly options: HttpEgressOptions) {
    super();
    this.guard = new AddressGuard(options.allow, options.resolve ?? bySystem);
  }

  async send(request: EgressRequest): Promise<EgressResponse> {
    const { close: _, body, ...answer } = await this.begin(request, undefined);
    return { ...answer, body: await buffer(body) };
  }

  async stream({ idleMs = EGRESS_LIMITS.timeoutMs, ...request }: EgressStreamRequest): Promise<EgressStream> {
    return await this.begin(request, idleMs);
  }

  async connect({ host: text, port, connectMs = EGRESS_LIMITS.connectMs, signal }: EgressConnection): Promise<Socket> {
    const host = canonicalHost(text);
    if (host === undefined) throw new EgressRefused('url', 'The host must be only a name or an address.');
    if (!(Number.isInteger(port) && port >= 1 && port <= 65_535))
      throw new EgressRefused('port', 'The port must be a whole number from 1 to 65535.');
    return await this.open({ host, port, addresses: this.lookUpOnce(host), secure: false, connectMs, signal });
  }

  private async begin(request: EgressRequest, idleMs: number | undefined): Promise<EgressStream> {
    const { clock } = this.options;
    const limits = { ...EGRESS_LIMITS, ...request.limits };
    const first = firstDraft(request);
    const { host } = first.target;
    const late = `The request to '${host}' did not finish within ${timeInWords(limits.timeoutMs)}; request less or allow more time.`;
    const stopped = `The request to '${host}' was cancelled.`;
    const time = new RunningTime({ clock, ms: limits.timeoutMs, late, stopped, signal: request.signal });
    const follow = request.followRedirects ?? true;
    try {
      return await time.race(() => this.follow(first, request.fill, { limits, follow, idleMs, time }));
    } catch (error) {
      time.end();
      throw error;
    }
  }

  private async follow(
    first: HopDraft,
    fill: EgressFill | undefined,
    course: Omit<RequestSettings, 'addresses'>,
  ): Promise<EgressStream> {
    const { redirects: most } = course.limits;
    let draft = first;
    for (let redirects = 0; redirects <= most; redirects += 1) {
      const { url, host } = draft.target;
      const addresses = this.lookUpOnce(host);
      const allowedByOperator = async () => (await addresses()).allowedByOperator;
      const filled = await fillHop(draft, fill, allowedByOperator);
      const next = await this.go(filled, { ...course, addresses });
      if ('status' in next) {
        const { status, headers, body } = next;
        return { status, headers, body, url: url.href, redirected: redirects > 0, close: () => body.close() };
      }
      draft = next;
    }
    const sentence = `The host '${first.target.host}' redirected more than ${most} times; request the final address directly.`;
    throw new EgressRefused('redirect', sentence);
  }

  private async go(
    { message, draft, readable }: FilledHop,
    course: RequestSettings,
  ): Promise<StartedResponse | HopDraft> {
    const { limits, follow, addresses, time, idleMs } = course;
    const { host, url } = draft.target;
    checkMessage(message, limits);
    const secure = url.protocol === 'https:';
    const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
    const { signal } = time;
    const socket = await this.open({ host, port, addresses, secure, connectMs: limits.connectMs, signal });
    try {
      const incoming = await exchange(socket, message, limits);
      const { statusCode: status = 0, headers } = incoming;
      if (follow && asksToGoOn(status, headers.location)) {
        socket.destroy();
        return redirected(draft, status, headers.location);
      }
      const { pieces, ...head } = httpAnswerOf(incoming, { method: message.method, host, limits, readable });
      const { clock } = this.options;
      return { ...head, body: new StreamedBody({ host, socket, incoming, pieces }, { clock, time, idleMs }) };
    } catch (error) {
      socket.destroy();
      throw egressFailureOf(error, host);
    }
  }

  /** `fill` and the connection must use the same addresses, so the host is looked up once. */
  private lookUpOnce(host: string): () => Promise<GuardedAddresses> {
    let found: Promise<GuardedAddresses> | undefined;
    return () => {
      found ??= this.guard.addressesOf(host);
      return found;
    };
  }

  private async open({
    host,
    addresses: lookUp,
    port,
    secure,
    connectMs: ms,
    signal,
  }: ConnectionTarget): Promise<Socket> {
    const { clock, ca } = this.options;
    const late = `The host '${host}' accepted no connection within ${timeInWords(ms)}; check the port, or try again later.`;
    const stopped = `The connection to '${host}' was cancelled.`;
    return await withinTimeLimit({ clock, ms, late, stopped, signal }, async (signal) => {
      const { addresses } = await lookUp();
      const socket = await connectTo(addresses, port, signal).catch((error: unknown) => {
        throw egressFailureOf(error, host);
      });
      if (!secure) return socket;
      return await agreeOnTls(socket, { host, ca }, signal).catch((error: unknown) => {
        throw tlsFailureOf(error, host);
      });
    });
  }
}
