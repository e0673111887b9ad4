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

/** What is sent with status 200. */
export interface Sent {
  /** Names and values in turn, `content-length` among them. */
  readonly headers: readonly string[];
  readonly body: string | Uint8Array;
}

export interface Ready {
  readonly what: 'page' | 'asset';
  /** In bytes, about. What is kept elsewhere does not count. */
  readonly weight: number;
  /** Judges the reader now. Undefined: they may have something else, or the bytes have to be read. */
  send(reader: PageReader): Sent | undefined;
}

/** Headers as they are sent, which is what sending them costs the least. */
export const listed = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(headers).flatMap(([name, value]) => [name.toLowerCase(), value]);

interface Kept extends Ready {
  readonly visit: Pick<SiteVisit, 'project' | 'reader' | 'until'>;
}

const most = 32 * 1024 * 1024;
const longestKey = 2_000;
/** They ask for something else than all bytes, or to have a request tried. */
const otherwise = ['range', 'if-none-match', 'if-range', 'content-length', 'transfer-encoding', 'x-dry-run'] as const;

/**
 * Answers of sites that were given before and are ready to be given again, for as long as nothing is written to the stores
 * ([0086](../../decisions/0086-answers-are-kept-while-nothing-is-written.md)). Each request is counted and each reader is
 * judged, before Fastify and Nest, which would cost more than the answer. What is not ready goes the way of all requests.
 */
@Injectable()
export class ReadyAnswers {
  private readonly kept = new BoundedCache<Kept>(most, ({ weight }) => weight);
  /** Of the stores, when the first of `kept` was asked for. */
  private version: number | undefined;
  /** Requests that nothing was ready for. */
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

  /** Must be called once, when the server has its handler. */
  watch(fastify: FastifyInstance): void {
    const { server } = fastify;
    const [others] = server.listeners('request') as ((raw: IncomingMessage, response: ServerResponse) => void)[];
    if (others === undefined) throw new Error('The server has no handler.');
    server.removeAllListeners('request');
    server.on('request', (raw, response) => {
      if (!this.answer(raw, response)) others.call(server, raw, response);
    });
    fastify.addHook('preClose', (done) => {
      this.isStopping = true;
      done();
    });
  }

  /** To be called with what is answered to this request, before it is. */
  remember(raw: IncomingMessage, visit: SiteVisit, ready: Ready): void {
    const asked = this.asked.get(raw);
    // What was written meanwhile may be in one part of it and not in another.
    if (visit.host.kind !== 'site' || asked === undefined || asked.version !== this.look()) return;
    const { project, reader, until } = visit;
    this.kept.set(asked.key, {
      what: ready.what,
      weight: ready.weight + asked.key.length,
      send: ready.send,
      visit: { project, reader, until },
    });
  }

  /** False: nothing was done. */
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

  private find(raw: IncomingMessage): { readonly what: Ready['what']; readonly sent: Sent } | undefined {
    if (raw.method !== 'GET' || this.isStopping || !this.openDoor.isOpen()) return undefined;
    if (otherwise.some((name) => raw.headers[name] !== undefined)) return undefined;
    try {
      const key = this.keyOf(raw);
      const version = this.look();
      if (key === undefined || version === undefined) return undefined;
      const kept = this.kept.get(key);
      const sent = kept && this.sentBy(kept, raw);
      if (kept !== undefined && sent !== undefined) return { what: kept.what, sent };
      this.asked.set(raw, { key, version });
      return undefined;
    } catch {
      // A store is away. The way of all requests says so.
      return undefined;
    }
  }

  private sentBy({ visit: { project, reader, until }, send }: Kept, raw: IncomingMessage): Sent | undefined {
    const now = this.clock.now();
    if (until !== undefined && until <= now) return undefined;
    const sent = send({ ...reader, visitor: { ...reader.visitor, now } });
    if (sent === undefined) return undefined;
    const { headers, socket } = raw;
    const address = addressOf({ headers, ip: socket.remoteAddress ?? '' }, this.environment);
    return this.callers.mayVisitNow(project.id, address) ? sent : undefined;
  }

  /** Of all that an answer depends on beside the stores and the time. Undefined: nothing is kept for it. */
  private keyOf(raw: IncomingMessage): string | undefined {
    const { name } = requestHost(raw);
    if (name === undefined) return undefined;
    const { 'accept-encoding': encoding = '', cookie } = raw.headers;
    const key = `${name} ${this.cookie.in(cookie) ?? ''} ${raw.url} ${String(encoding)}`;
    return key.length > longestKey ? undefined : key;
  }

  /** Undefined: the stores cannot tell. */
  private look(): number | undefined {
    const version = this.unchanged.version();
    if (version !== this.version) this.kept.clear();
    this.version = version;
    return version;
  }
}

/** As the entrance does: a client that takes nothing for a while is disconnected. */
function limitTaking(socket: Socket, response: ServerResponse): void {
  socket.setTimeout(answerMs);
  response.once('finish', () => {
    if (socket.timeout === answerMs) socket.setTimeout(0);
  });
}
