import { setImmediate } from 'node:timers/promises';
import { EventStoreDBClient } from '@eventstore/db-client';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { AppendReq, AppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { connectionStringOf, unusable } from './connection-string.js';
import { isNotLeader, NoAnswer } from './errors.js';

/** How often we follow to another server that is said to be the leader. */
const hops = 3;

/**
 * Uses the client's connection (discovery, TLS, credentials, following the leader) but sends our own messages, because its
 * calls lack a filter for reads of the log and a deadline for every call. Its append also shares one list of promises
 * between all clients of a process, and throws an uncatchable error when two connections break.
 *
 * This is the only file that uses the client's internals, so its version is pinned.
 */
export class Connection {
  private readonly client: EventStoreDBClient;
  private streams: StreamsClient | undefined;

  /** Does not connect yet. @throws with one sentence when the address cannot be used; never tells the address. */
  constructor(
    url: string,
    readonly deadlineMs: number,
  ) {
    const address = connectionStringOf(url);
    try {
      this.client = EventStoreDBClient.connectionString(address);
    } catch (error) {
      const file = error instanceof Error && error.message.startsWith('Failed to load certificate');
      throw unusable(file ? 'a certificate file that it names is not there' : 'a part of it is not as it should be');
    }
    const handle = this.client['handleError'];
    // It waits for the next connection; if that fails, nothing would catch the error.
    this.client['handleError'] = (client, error) => handle(client, error).catch(() => undefined);
  }

  /** Sends one request to the leader and answers its response. */
  async append(messages: readonly AppendReq[]): Promise<AppendResp> {
    const until = Date.now() + this.deadlineMs;
    for (let hop = 1; ; hop += 1) {
      try {
        return await this.inTime(this.appendOnce(messages, until), until - Date.now());
      } catch (error) {
        // Nothing was written, and the client switches to the leader by the next turn of the event loop.
        if (!isNotLeader(error) || hop === hops || Date.now() >= until) throw error;
        await setImmediate();
      }
    }
  }

  /** Rejects when the call cannot be made in time; the reader has to watch what happens afterwards. */
  async read(request: ReadReq): Promise<ClientReadableStream<ReadResp>> {
    const opening = this.client['GRPCStreamCreator'](StreamsClient, 'read', (streams) => {
      this.streams = streams;
      return streams.read(request, ...this.client['callArguments']({ requiresLeader: true }, { deadline: Infinity }));
    })();
    try {
      return await this.inTime(opening, this.deadlineMs);
    } catch (error) {
      opening.then((stream) => stream.cancel()).catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.client.dispose();
    this.streams?.close();
  }

  private appendOnce(messages: readonly AppendReq[], deadline: number): Promise<AppendResp> {
    return this.client['execute'](StreamsClient, 'append', (streams) => {
      this.streams = streams;
      return new Promise<AppendResp>((resolve, reject) => {
        const [metadata, options] = this.client['callArguments']({ requiresLeader: true }, { deadline });
        const sink = streams.append(metadata, options, (error, response) => {
          if (error === null) resolve(response);
          else reject(error);
        });
        sink.on('error', reject);
        for (const message of messages) sink.write(message);
        sink.end();
      });
    });
  }

  /** Finding the cluster's leader has no deadline of its own. */
  private inTime<T>(work: Promise<T>, ms: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => reject(new NoAnswer(this.deadlineMs)), ms + 50);
      work.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}
