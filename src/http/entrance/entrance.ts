import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import { isDryRun } from '../../engine/dry-run/dry-run-header.js';
import { Clock } from '../../ports/clock.port.js';
import { headerOf } from '../header-of.js';
import { refuse } from '../http.refusals.js';
import { OpenDoor } from '../open-door.js';
import { BodyGathering } from './body-gathering.js';
import { answeredEarly } from './broken-requests.js';
import { type Admission, type Door, passageOf } from './door.js';

export const requestMs = 30_000;
export const headersMs = 15_000;
/** Time after which a client that reads nothing of its response is disconnected, in milliseconds. */
export const answerMs = 30_000;
/**
 * If a body took longer than this to arrive, in milliseconds, its door checks the request again, because the key may
 * have been revoked in the meantime.
 */
const trustedMs = 500;
/**
 * Maximum size, in bytes, of a body that is still received after its response was sent. If the body is larger or
 * chunked, the connection is closed instead.
 */
const leftOver = 64 * 1024;

interface Admitted {
  readonly door: Door;
  readonly admission: Admission;
  readonly at: number;
}

@Injectable()
export class Entrance {
  private readonly admitted = new WeakMap<FastifyRequest, Admitted>();

  constructor(
    private readonly environment: Environment,
    private readonly openDoor: OpenDoor,
    private readonly gathering: BodyGathering,
    private readonly clock: Clock,
    private readonly modules: ModuleRef,
  ) {}

  /** Must be called before routes are added. */
  watch(fastify: FastifyInstance): void {
    const { server } = fastify;
    server.headersTimeout = headersMs;
    server.maxConnections = this.environment.edge.connections;
    fastify.addHook('onRequest', (request) => this.judge(request));
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) =>
      this.bodyOf(request, payload),
    );
    fastify.addHook('onSend', (request, reply, payload, done) => {
      this.letGo(request, reply);
      done(null, payload);
    });
    fastify.addHook('onResponse', ({ raw: { socket } }, _reply, done) => {
      // Removes the timeout `answerMs` of the response that has just ended. It is still set only if the next request
      // has already arrived on this connection (otherwise Node has set its timeout for idle connections), and the
      // response to that request may take as long as a run.
      if (socket.timeout === answerMs) socket.setTimeout(0);
      done();
    });
  }

  private async judge(request: FastifyRequest): Promise<void> {
    answeredEarly.delete(request.raw.socket);
    if (request.is404) refuse('unknown-path', { path: request.originalUrl.split('?')[0] ?? '' });
    const { door: type } = passageOf(request);
    if (type === undefined) return;
    this.openDoor.mustBeOpen();
    const door = this.modules.get(type, { strict: false });
    // A route that does not support dry runs would carry the request out, although its sender expects a dry run.
    if (!door.takesDryRuns && isDryRun(headerOf(request, 'x-dry-run'))) refuse('dry-run-not-supported');
    const at = this.clock.now();
    const admission = await door.admit(request);
    const { limit } = admission;
    if ((declaredOf(request.raw) ?? 0) > limit) refuse('body-too-large', { limit });
    mustBeSentAsItIs(request);
    this.admitted.set(request, { door, admission, at });
  }

  private async bodyOf(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer | undefined> {
    const admitted = this.admitted.get(request);
    if (admitted === undefined || admitted.admission.streamed) return undefined;
    const { door, admission, at } = admitted;
    const body = await this.gathering.gather(payload, { ...admission, declared: declaredOf(request.raw) });
    if (this.clock.now() - at > trustedMs) await door.admit(request);
    return body;
  }

  private letGo({ raw }: FastifyRequest, reply: FastifyReply): void {
    raw.socket.setTimeout(answerMs);
    if (raw.complete) return;
    answeredEarly.add(raw.socket);
    if (comingTo(raw) > leftOver) reply.header('Connection', 'close');
  }
}

function mustBeSentAsItIs(request: FastifyRequest): void {
  const encoding = headerOf(request, 'content-encoding') ?? 'identity';
  if (comingTo(request.raw) > 0 && !/^\s*identity\s*$/i.test(encoding)) refuse('content-encoding-not-supported');
}

const comingTo = (raw: IncomingMessage): number =>
  raw.headers['transfer-encoding'] === undefined ? (declaredOf(raw) ?? 0) : Number.POSITIVE_INFINITY;

function declaredOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
