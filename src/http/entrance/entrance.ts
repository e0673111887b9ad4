import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import { refuse } from '../../kernel/refusal.js';
import { Clock } from '../../ports/clock.port.js';
import { OpenDoor } from '../open-door.js';
import { BodyGathering } from './body-gathering.js';
import { type Admission, type Door, doorOf } from './door.js';

/** The whole request, and its headers alone, have so long to come in. */
export const requestMs = 30_000;
export const headersMs = 15_000;
/** Who takes nothing of an answer for so long is cut off. */
const answerMs = 30_000;
/** Who was let in is judged anew when the body took longer: a revoked key does not act on the strength of its headers. */
const trustedMs = 500;
/** So much of a body that nobody wants is read to its end, so that the connection can go on. */
const leftOver = 64 * 1024;

interface Admitted {
  readonly door: Door;
  readonly admission: Admission;
  readonly at: number;
}

/**
 * What stands before every route: requests are judged before their bodies are read, bodies are gathered within bounds,
 * and whoever is slow or silent is cut off.
 */
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

  /** Before the routes are made. */
  watch(fastify: FastifyInstance): void {
    const { server } = fastify;
    server.headersTimeout = headersMs;
    server.maxConnections = this.environment.edge.connections;
    fastify.addHook('onRequest', (request) => this.judge(request));
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) =>
      this.bodyOf(request, payload),
    );
    fastify.addHook('onSend', async (request, reply) => this.letGo(request, reply));
    fastify.addHook('onResponse', async ({ raw: { socket } }) => {
      // Another request waits on this connection already: its answer may take as long as a run.
      if (socket.timeout === answerMs) socket.setTimeout(0);
    });
  }

  private async judge(request: FastifyRequest): Promise<void> {
    if (request.is404) refuse('unknown-path', { path: request.url.split('?')[0] ?? '' });
    const type = doorOf(request);
    if (type === undefined) return;
    this.openDoor.mustBeOpen();
    const door = this.modules.get(type, { strict: false });
    const at = this.clock.now();
    const admission = await door.admit(request);
    const { limit } = admission;
    if ((declaredOf(request.raw) ?? 0) > limit) refuse('body-too-large', { limit });
    this.admitted.set(request, { door, admission, at });
  }

  /** Undefined, unread, where no door let it in: the route takes none. */
  private async bodyOf(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer | undefined> {
    const admitted = this.admitted.get(request);
    if (admitted === undefined) return undefined;
    const { door, admission, at } = admitted;
    const body = await this.gathering.gather(payload, { ...admission, declared: declaredOf(request.raw) });
    if (this.clock.now() - at > trustedMs) await door.admit(request);
    return body;
  }

  /** An answer is taken in time or not at all; one to an unread body ends the connection rather than read it. */
  private letGo({ raw }: FastifyRequest, reply: FastifyReply): void {
    raw.socket.setTimeout(answerMs);
    const comes = raw.headers['transfer-encoding'] === undefined ? (declaredOf(raw) ?? 0) : Number.POSITIVE_INFINITY;
    if (!raw.complete && comes > leftOver) reply.header('Connection', 'close');
  }
}

function declaredOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
