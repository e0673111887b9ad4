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

/** A response with status 200. */
export interface ReadyReply {
  /** Names and values alternately, including `content-length`. */
  readonly headers: readonly string[];
  readonly body: string | Uint8Array;
}

export interface Ready {
  readonly what: 'page' | 'asset';
  /** Approximate size in bytes, without bytes that are also cached elsewhere. */
  readonly weight: number;
  /**
   * Evaluates the reader's access now. Returns undefined if they may not get this response, or if its bytes would have
   * to be read.
   */
  send(reader: PageReader): ReadyReply | undefined;
}

/** Returns headers as an alternating list of names and values, which is the cheapest form to send. */
export const listed = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(headers).flatMap(([name, value]) => [name.toLowerCase(), value]);

interface Kept extends Ready {
  readonly visit: Pick<SiteVisit, 'project' | 'reader' | 'until'>;
}

const most = 32 * 1024 * 1024;
const longestKey = 2_000;
/** Headers of requests that ask for something other than all bytes, or for a dry run. */
const otherwise = ['range', 'if-none-match', 'if-range', 'content-length', 'transfer-encoding', 'x-dry-run'] as const;

/**
 * Responses of sites that are ready to be sent again, as long as nothing is written to the stores
 * ([0086](../../decisions/0086-answers-are-kept-while-nothing-is-written.md)). Each request is counted and each
 * reader's access is evaluated, before Fastify and Nest, which would cost more than the response. All other requests
 * are handled as usual.
 */
@Injectable()
export class ReadyAnswers {
  private readonly kept = new BoundedCache<Kept>(most, ({ weight }) => weight);
  /** Version of the stores for which the responses in `kept` are valid. */
  private version: number | undefined;
  /** Requests for which no response was ready. */
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

  /** Remembers the response to this request. Must be called before it is sent. */
  remember(raw: IncomingMessage, visit: SiteVisit, ready: Ready): void {
    const asked = this.asked.get(raw);
    // Parts of the response may have been read before and after a write.
    if (visit.host.kind !== 'site' || asked === undefined || asked.version !== this.look()) return;
    const { project, reader, until } = visit;
    this.kept.set(asked.key, {
      what: ready.what,
      weight: ready.weight + asked.key.length,
      send: ready.send,
      visit: { project, reader, until },
    });
  }

  /** Sends a ready response. Returns false, without doing anything, if there is none. */
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
      const kept = this.kept.get(key);
      const sent = kept && this.sentBy(kept, raw);
      if (kept !== undefined && sent !== undefined) return { what: kept.what, sent };
      this.asked.set(raw, { key, version });
      return undefined;
    } catch {
      // A store is unavailable. The usual handling reports that.
      return undefined;
    }
  }

  private sentBy({ visit: { project, reader, until }, send }: Kept, raw: IncomingMessage): ReadyReply | undefined {
    const now = this.clock.now();
    if (until !== undefined && until <= now) return undefined;
    const sent = send({ ...reader, visitor: { ...reader.visitor, now } });
    if (sent === undefined) return undefined;
    const { headers, socket } = raw;
    const address = addressOf({ headers, ip: socket.remoteAddress ?? '' }, this.environment);
    return this.callers.mayVisitNow(project.id, address) ? sent : undefined;
  }

  /**
   * Returns a key for everything on which a response depends besides the stores and the time. Returns undefined if the
   * response must not be remembered.
   */
  private keyOf(raw: IncomingMessage): string | undefined {
    const { name } = requestHost(raw);
    if (name === undefined) return undefined;
    const { 'accept-encoding': encoding = '', cookie } = raw.headers;
    const key = `${name} ${this.cookie.in(cookie) ?? ''} ${raw.url} ${String(encoding)}`;
    return key.length > longestKey ? undefined : key;
  }

  /** Returns the version of the stores, or undefined if they cannot provide it. */
  private look(): number | undefined {
    const version = this.unchanged.version();
    if (version !== this.version) this.kept.clear();
    this.version = version;
    return version;
  }
}

/** Disconnects a client that takes no data for some time, as the entrance does. */
function limitTaking(socket: Socket, response: ServerResponse): void {
  socket.setTimeout(answerMs);
  response.once('finish', () => {
    if (socket.timeout === answerMs) socket.setTimeout(0);
  });
}
