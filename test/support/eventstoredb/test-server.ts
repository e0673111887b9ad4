import { setTimeout } from 'node:timers/promises';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  ReadReq,
  ReadResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import {
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  Server,
  ServerCredentials,
  type ServerWritableStream,
  status,
} from '@grpc/grpc-js';
import { takes } from '../clocks/delays.js';
import { answerOf, type ParsedAppend, parseAppend } from './append-call.js';
import { batchAnswerOf, failedAnswer, parseBatchAppend } from './batch-append-call.js';
import { callError, isTooLarge, notLeader, timedOut } from './call-errors.js';
import { addClusterServices } from './cluster-services.js';
import { noFaults } from './faults.js';
import { answersTo } from './read-call.js';
import { serveSubscription } from './subscription-call.js';
import { TransactionLog, type Written } from './transaction-log.js';

const prepareTimeoutMs = 150;
/** Delay, in milliseconds, between the check of a write's version and the time at which readers see the write. */
const indexingMs = 1;

/**
 * A stand-in for EventStoreDB with its public gRPC protocol, as far as this service uses it. Its log is in memory, and
 * it produces faults on request. Where it differs from EventStoreDB 24.10, it is stricter. Stopping it breaks
 * connections but does not lose the log.
 */
export class EventStoreDbTestServer {
  readonly faults = noFaults();
  /** Calls that were made: `append`, `batch append` (once per append), `read`, `subscribe`, `gossip`. */
  readonly calls: string[] = [];
  /** The `authorization` headers of all calls. */
  readonly authorizations = new Set<string>();
  /** Number of batch-append streams opened so far. */
  batches = 0;
  /** Number of messages sent to subscriptions so far. */
  sent = 0;
  /** Number of messages sent so far in response to reads that are not subscriptions. */
  answered = 0;
  port = 0;
  private server: Server | undefined;
  private readonly drops = new Set<() => void>();

  /** @param tls key and certificate in PEM; if omitted, connections are not encrypted */
  constructor(
    readonly log = new TransactionLog(),
    private readonly tls?: { readonly key: Buffer; readonly certificate: Buffer },
  ) {}

  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  get subscriptions(): number {
    return this.drops.size;
  }

  /** Starts the server. A server that was stopped uses the same port again. */
  async start(): Promise<this> {
    const server = new Server();
    server.addService(StreamsService, {
      read: this.read,
      append: this.append,
      batchAppend: this.batchAppend,
    });
    addClusterServices(server, () => {
      this.calls.push('gossip');
      return this.faults.leader ?? { host: '127.0.0.1', port: this.port };
    });
    this.port = await new Promise<number>((resolve, reject) => {
      const at = `127.0.0.1:${this.port}`;
      server.bindAsync(at, this.credentials(), (error, port) => (error === null ? resolve(port) : reject(error)));
    });
    this.server = server;
    return this;
  }

  /**
   * Stops the server as if its machine were switched off: connections break, and everything not in the log is
   * forgotten.
   */
  async stop(): Promise<void> {
    this.server?.forceShutdown();
    this.server = undefined;
    this.drops.clear();
    this.log.forget();
  }

  /** Ends every subscription, as the server does with slow or old ones. */
  dropSubscriptions(): void {
    for (const drop of [...this.drops]) drop();
  }

  private readonly append: handleClientStreamingCall<AppendReq, AppendResp> = (call, callback) => {
    this.calls.push('append');
    const { server } = this;
    const messages: AppendReq[] = [];
    call.on('data', (message: AppendReq) => messages.push(message));
    call.on('end', async () => {
      try {
        await this.misbehave(server);
        const written = await this.write(parseAppend(messages));
        if (written.kind === 'dropped') {
          await takes(prepareTimeoutMs);
          return callback(timedOut());
        }
        callback(null, answerOf(written));
      } catch (error) {
        callback(error as Parameters<typeof callback>[0]);
      }
    });
  };

  private readonly batchAppend: handleBidiStreamingCall<BatchAppendReq, BatchAppendResp> = (call) => {
    const fail = (error: unknown) => void call.emit('error', error);
    if (this.faults.noBatches) return fail(callError(status.UNIMPLEMENTED, 'Method is unimplemented.'));
    this.batches += 1;
    const { server } = this;
    // The server handles one message at a time, and responds to each once it is written.
    let turn = Promise.resolve();
    call.on('data', (message: BatchAppendReq) => {
      this.calls.push('batch append');
      turn = turn
        .then(() => this.refusalOf(message, server))
        .then((refused) => {
          if (refused !== undefined) call.write(refused);
          else this.answer(message).then((answer) => call.write(answer), fail);
        }, fail);
    });
    call.on('end', () => call.end());
  };

  /** Returns the refusal of one append. Only a server that is not the leader ends the whole call instead. */
  private async refusalOf(message: BatchAppendReq, server: Server | undefined): Promise<BatchAppendResp | undefined> {
    try {
      await this.misbehave(server);
      return undefined;
    } catch (error) {
      const { refuse } = this.faults;
      if (refuse === undefined) throw error;
      const timeout = refuse.code === status.ABORTED;
      const code = timeout ? status.DEADLINE_EXCEEDED : refuse.code === status.UNAVAILABLE ? status.OK : refuse.code;
      return failedAnswer(message, code, timeout ? 'Timeout' : refuse.details);
    }
  }

  private async answer(message: BatchAppendReq): Promise<BatchAppendResp> {
    let request: ParsedAppend;
    try {
      request = parseBatchAppend(message);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      return failedAnswer(message, status.INVALID_ARGUMENT, 'MaximumAppendSizeExceeded');
    }
    const written = await this.write(request);
    if (written.kind !== 'dropped') return batchAnswerOf(message, written);
    await takes(prepareTimeoutMs);
    return failedAnswer(message, status.DEADLINE_EXCEEDED, 'Timeout');
  }

  /** @throws a call's error if the response is to be lost */
  private async write({ stream, expected, events }: ParsedAppend): Promise<Written> {
    if (this.faults.wrongVersions > 0) {
      this.faults.wrongVersions -= 1;
      return { kind: 'wrong-version', actual: this.log.visibleOf(stream).length - 1 };
    }
    const written = this.log.write(stream, expected, events);
    await takes(indexingMs);
    this.log.index();
    if (this.faults.dropAnswers > 0) {
      this.faults.dropAnswers -= 1;
      throw callError(status.UNAVAILABLE, 'Connection dropped');
    }
    return written;
  }

  private readonly read: handleServerStreamingCall<ReadReq, ReadResp> = async (call) => {
    const options = call.request.getOptions();
    const subscribing = options?.hasSubscription() ?? false;
    this.calls.push(subscribing ? 'subscribe' : 'read');
    const { server } = this;
    for (const value of call.metadata.get('authorization')) this.authorizations.add(String(value));
    const drop = () => {
      this.drops.delete(drop);
      call.emit('error', callError(status.UNAVAILABLE, 'Server is going away'));
    };
    call.on('cancelled', () => this.drops.delete(drop));
    try {
      await this.misbehave(server);
      if (options === undefined) throw callError(status.INVALID_ARGUMENT, 'A read has options.');
      if (subscribing) {
        this.drops.add(drop);
        // Once a connection has lost a message, it must not deliver later ones either.
        let mute = false;
        await serveSubscription(this.log, options, {
          send: (response) => {
            this.sent += 1;
            mute ||= this.faults.silent;
            return mute || call.write(response);
          },
          drained: () => drained(call),
          ended: () => call.cancelled || !this.drops.has(drop),
        });
        return;
      }
      for (const answer of answersTo(this.log, options)) {
        if (call.cancelled) return;
        this.answered += 1;
        if (!call.write(answer)) await drained(call);
      }
      call.end();
    } catch (error) {
      this.drops.delete(drop);
      call.emit('error', error);
    }
  };

  private credentials(): ServerCredentials {
    if (this.tls === undefined) return ServerCredentials.createInsecure();
    const { key, certificate } = this.tls;
    return ServerCredentials.createSsl(null, [{ private_key: key, cert_chain: certificate }]);
  }

  /**
   * Applies the current faults to a call.
   * @param asked the server that received the call; if it has been stopped since, the call has no effect
   */
  private async misbehave(asked: Server | undefined): Promise<void> {
    const { slowMs, silent, leader, refuse } = this.faults;
    if (slowMs > 0) await setTimeout(slowMs, undefined, { ref: false });
    if (silent || asked !== this.server) await new Promise(() => undefined);
    if (refuse !== undefined) throw callError(refuse.code, refuse.details);
    if (leader !== undefined) throw notLeader(leader.host, leader.port);
  }
}

/** Resolves when the buffer has room again, or when the client is gone. */
function drained(call: ServerWritableStream<ReadReq, ReadResp>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      call.off('drain', done);
      call.off('cancelled', done);
      resolve();
    };
    call.on('drain', done);
    call.on('cancelled', done);
  });
}
