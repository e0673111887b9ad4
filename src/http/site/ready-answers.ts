import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { PageReader } from '../../areas/sites/page/page-readers.api.js';
import { Environment } from '../../config/environment.js';
import { Metrics } from '../../engine/health/metrics.js';
import { WhileUnchanged } from '../../engine/read-models/while-unchanged.js';
import { BoundedCache } from '../../kernel/bounded-cache.js';
import { Clock } from '../../ports/clock.port.js';
import { addressOf } from '../entrance/address-of.js';
import { answeredEarly } from '../entrance/broken-requests.js';
import { Callers } from '../entrance/callers.js';
import { answerMs } from '../entrance/entrance.js';
import { requestHost } from '../hosts/request-host.js';
import { OpenDoor } from '../open-door.js';
import { SiteCookie } from './site-cookie.js';
import type { SiteVisit } from './site-door.js';

export interface ReadyReply {
  readonly headers: readonly string[];
  readonly body: string | Uint8Array;
}

export interface Ready {
  readonly what: 'page' | 'asset';
  /** In bytes, approximate, without bytes that are also in another cache. */
  readonly weight: number;
  /** Returns undefined if this reader may not have the response, or if its bytes are no longer in memory. */
  send(reader: PageReader): ReadyReply | undefined;
}

/** Alternating names and values, the form that Node sends fastest. */
export const listed = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(headers).flatMap(([name, value]) => [name.toLowerCase(), value]);

interface CachedAnswer extends Ready {
  readonly visit: Pick<SiteVisit, 'project' | 'reader' | 'until'>;
}

const most = 32 * 1024 * 1024;
const longestKey = 2_000;
/**
 * A request with one of these headers gets no cached response: it is conditional, asks for part of the content, has a
 * body, or is a dry run.
 */
const otherwise = ['range', 'if-none-match', 'if-range', 'content-length', 'transfer-encoding', 'x-dry-run'] as const;

/**
 * Caches responses of sites. They are valid until something is written to the stores
 * ([0086](../../decisions/0086-answers-are-kept-while-nothing-is-written.md)). They are sent before Fastify and Nest
 * handle the request, because their handling would take longer than everything else. Rate limits and access rules still
 * apply to each request.
 */
@Injectable()
export class ReadyAnswers {
  private readonly cache = new BoundedCache<CachedAnswer>(most, ({ weight }) => weight);
  private version: number | undefined;
  private readonly asked = new WeakMap<IncomingMessage, { readonly key: string; readonly version: number }>();
  private isStopping = false;

  constructor(
    private readonly unchanged: WhileUnchanged,
    private readonly environment: Environment,
    private readonly openDoor: OpenDoor,
    private readonly cookie: SiteCookie,
    private readonly callers: Callers,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  /** Must be called once, after the server's request handler was added. */
  watch(fastify: FastifyInstance): void {
    const { server } = fastify;
    const [others] = server.listeners('request') as ((raw: IncomingMessage, response: ServerResponse) => void)[];
    if (others === undefined) throw new Error('The HTTP server has no request handler yet.');
    server.removeAllListeners('request');
    server.on('request', (raw, response) => {
      if (!this.answer(raw, response)) others.call(server, raw, response);
    });
    fastify.addHook('preClose', (done) => {
      this.isStopping = true;
      done();
    });
  }

  remember(raw: IncomingMessage, visit: SiteVisit, ready: Ready): void {
    const asked = this.asked.get(raw);
    // If something was written since the request arrived, the response may combine old and new data, so it is not
    // cached.
    if (visit.host.kind !== 'site' || asked === undefined || asked.version !== this.look()) return;
    const { project, reader, until } = visit;
    this.cache.set(asked.key, {
      what: ready.what,
      weight: ready.weight + asked.key.length,
      send: ready.send,
      visit: { project, reader, until },
    });
  }

  private answer(raw: IncomingMessage, response: ServerResponse): boolean {
    const began = performance.now();
    const found = this.find(raw);
    if (found === undefined) return false;
    const { what, sent } = found;
    const { socket } = raw;
    answeredEarly.delete(socket);
    response.writeHead(200, ['x-request-id', randomUUID(), 'x-content-type-options', 'nosniff', ...sent.headers]);
    response.end(sent.body);
    if (!response.writableFinished) limitTaking(socket, response);
    this.metrics.siteAnswered(what, 200, (performance.now() - began) / 1_000);
    return true;
  }

  private find(raw: IncomingMessage): { readonly what: Ready['what']; readonly sent: ReadyReply } | undefined {
    if (raw.method !== 'GET' || this.isStopping || !this.openDoor.isOpen()) return undefined;
    if (otherwise.some((name) => raw.headers[name] !== undefined)) return undefined;
    try {
      const key = this.keyOf(raw);
      const version = this.look();
      if (key === undefined || version === undefined) return undefined;
      const cached = this.cache.get(key);
      const sent = cached && this.sentBy(cached, raw);
      if (cached !== undefined && sent !== undefined) return { what: cached.what, sent };
      this.asked.set(raw, { key, version });
      return undefined;
    } catch {
      return undefined;
    }
  }

  private sentBy(
    { visit: { project, reader, until }, send }: CachedAnswer,
    raw: IncomingMessage,
  ): ReadyReply | undefined {
    const now = this.clock.now();
    if (until !== undefined && until <= now) return undefined;
    const sent = send({ ...reader, visitor: { ...reader.visitor, now } });
    if (sent === undefined) return undefined;
    const { headers, socket } = raw;
    const address = addressOf({ headers, ip: socket.remoteAddress ?? '' }, this.environment);
    return this.callers.mayVisitNow(project.id, address) ? sent : undefined;
  }

  /** The key contains everything in the request on which a response depends. */
  private keyOf(raw: IncomingMessage): string | undefined {
    const { name } = requestHost(raw);
    if (name === undefined) return undefined;
    const { 'accept-encoding': encoding = '', cookie } = raw.headers;
    const key = `${name} ${this.cookie.tokenIn(cookie) ?? ''} ${raw.url} ${String(encoding)}`;
    return key.length > longestKey ? undefined : key;
  }

  private look(): number | undefined {
    const version = this.unchanged.version();
    if (version !== this.version) this.cache.clear();
    this.version = version;
    return version;
  }
}

/** Disconnects a client that does not read the response, as `Entrance` does. */
function limitTaking(socket: Socket, response: ServerResponse): void {
  socket.setTimeout(answerMs);
  response.once('finish', () => {
    if (socket.timeout === answerMs) socket.setTimeout(0);
  });
}
