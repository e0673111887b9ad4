import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { LoggerService, Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { AppModule } from './app.module.js';
import { Environment } from './config/environment.js';
import { endBrokenRequest } from './http/entrance/broken-requests.js';
import { Entrance, requestMs } from './http/entrance/entrance.js';
import { OpenCalls } from './http/entrance/open-calls.js';
import { answerUnroutable, longestPathPart } from './http/entrance/unroutable.js';
import { RequestHosts } from './http/hosts/request-hosts.js';
import { SocketUpgrades, wantsSocket } from './http/realtime/socket-upgrades.js';
import { ReadyAnswers } from './http/site/ready-answers.js';
import { SiteAnswers } from './http/site/site-answers.js';
import { AllowedOrigins } from './http/visitor/allowed-origins.js';

type Overrides = Readonly<Record<string, string | undefined>>;

export async function assemble(
  overrides: Overrides = {},
  logger?: false | LoggerService,
  replacements: readonly Provider[] = [],
): Promise<NestFastifyApplication> {
  let hosts: RequestHosts | undefined;
  const adapter = new FastifyAdapter({
    genReqId: () => randomUUID(),
    // Requests are not logged, because webhook URLs contain secrets. Each response has the request's id in a header.
    logger: false,
    rewriteUrl: (raw: IncomingMessage) => hosts?.routeOf(raw) ?? raw.url ?? '/',
    routerOptions: { maxParamLength: longestPathPart },
    frameworkErrors: answerUnroutable,
    forceCloseConnections: 'idle',
    requestTimeout: requestMs,
    http: { connectionsCheckingInterval: 1_000, shouldUpgradeCallback: wantsSocket },
    clientErrorHandler: endBrokenRequest,
  });
  const options = { bodyParser: false, abortOnError: false, ...(logger === undefined ? {} : { logger }) } as const;
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.of(overrides, replacements), adapter, options);
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id).header('X-Content-Type-Options', 'nosniff');
    done();
  });
  app.get(OpenCalls).watch(fastify);
  hosts = app.get(RequestHosts).watch(fastify);
  app.get(SiteAnswers).watch(fastify);
  app.get(ReadyAnswers).watch(fastify);
  app.get(SocketUpgrades).watch(fastify);
  app.get(AllowedOrigins).watch(fastify);
  app.get(Entrance).watch(fastify);
  closeConnectionsWithTheirAnswers(fastify);
  return app;
}

/**
 * Lets as many clients connect while the process is busy as it serves, up to the system's limit. By default, connections
 * beyond 511 would wait for a second or be reset.
 */
export async function listen(app: NestFastifyApplication, port: number, host: string): Promise<void> {
  await app.listen({ port, host, backlog: app.get(Environment).edge.connections });
}

/**
 * While the service stops, closes each connection with its next response, so that clients with open connections do not
 * delay the stop.
 */
function closeConnectionsWithTheirAnswers(fastify: FastifyInstance): void {
  let stopping = false;
  fastify.addHook('preClose', (done) => {
    stopping = true;
    done();
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping) reply.header('Connection', 'close');
    done(null, payload);
  });
}
