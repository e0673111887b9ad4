import { setImmediate } from 'node:timers/promises';
import { EventStoreDBClient } from '@eventstore/db-client';
import type { CallOptions, ClientReadableStream, Metadata } from '@grpc/grpc-js';
import { type AppendAnswer, appendAnswerOf } from './append-answers.js';
import { type AppendBytes, appendMessages } from './append-messages.js';
import { BatchAppends, type BatchStream } from './batch-appends.js';
import { connectionStringOf, unusable } from './connection-string.js';
import { isNotLeader, isUnimplemented, NoAnswer } from './errors.js';
import { type AppendResp, type ReadReq, type ReadResp, StreamsClient } from './protocol.js';

/** Maximum number of attempts of an append. Each attempt can be redirected to a new leader. */
const hops = 3;

/**
 * Size of the largest append that is sent in a batch, in bytes. A message that is too large would end the whole batch.
 */
const largestInBatch = 256 * 1024;

/**
 * Uses the client's connection but sends its own messages, because the client's calls have no filter for reads of the
 * log and not all have a deadline. The client's append also throws an uncatchable error when two connections break.
 * Only this file uses the client's private members, so the client's version is pinned.
 */
export class Connection {
  private readonly client: EventStoreDBClient;
  private readonly batch: BatchAppends;
  private streams: StreamsClient | undefined;
  private takesBatches = true;

  /**
   * Does not connect yet. @throws Error with one sentence, which does not contain the address, if the address is
   * invalid
   */
  constructor(
    url: string,
    readonly deadlineMs: number,
  ) {
    const address = connectionStringOf(url);
    try {
      this.client = EventStoreDBClient.connectionString(address);
    } catch (error) {
      const file = error instanceof Error && error.message.startsWith('Failed to load certificate');
      throw unusable(file ? 'a certificate file that it names does not exist' : 'a part of it is invalid');
    }
    this.batch = new BatchAppends(
      () => this.opened('batchAppend', (streams, metadata, options) => streams.batchAppend(metadata, options)),
      deadlineMs,
    );
    const handle = this.client['handleError'];
    // The client does not await this handler, so a rejection would be unhandled.
    this.client['handleError'] = (client, error) => handle(client, error).catch(() => undefined);
  }

  /**
   * If the leader has changed, the append is sent again. This is safe: the server recognises the repetition of an
   * append that expects a revision, and any other append is sent in a separate call, whose result is certain.
   */
  async append(request: AppendBytes): Promise<AppendAnswer> {
    const until = Date.now() + this.deadlineMs;
    for (let hop = 1; ; hop += 1) {
      try {
        return await this.appendOnce(request, until);
      } catch (error) {
        // The client switches to the leader in the next turn of the event loop.
        if (!isNotLeader(error) || hop === hops || Date.now() >= until) throw error;
        await setImmediate();
      }
    }
  }

  async read(request: ReadReq): Promise<ClientReadableStream<ReadResp>> {
    return this.opened('read', (streams, metadata, options) => streams.read(request, metadata, options));
  }

  async close(): Promise<void> {
    await this.client.dispose();
    this.streams?.close();
  }

  private async appendOnce(request: AppendBytes, until: number): Promise<AppendAnswer> {
    // A batch can end with an unknown result. An append with `any` must not be sent again then, because the server may
    // not recognise the repetition. A call of its own has a definite result, even if another node becomes the leader.
    if (this.takesBatches && request.expected !== 'any' && request.size <= largestInBatch) {
      try {
        return await this.batch.append(request, until - Date.now());
      } catch (error) {
        if (!isUnimplemented(error)) throw error;
        this.takesBatches = false;
      }
    }
    return appendAnswerOf(await this.inTime(this.appendAlone(request, until), until - Date.now()));
  }

  private async opened<Stream extends ClientReadableStream<ReadResp> | BatchStream>(
    name: string,
    call: (streams: StreamsClient, metadata: Metadata, options: Partial<CallOptions>) => Stream,
  ): Promise<Stream> {
    const opening = this.client['GRPCStreamCreator'](StreamsClient, name, (streams) => {
      this.streams = streams;
      return call(streams, ...this.client['callArguments']({ requiresLeader: true }, { deadline: Infinity }));
    })();
    try {
      return await this.inTime(opening, this.deadlineMs);
    } catch (error) {
      opening.then((stream) => stream.cancel()).catch(() => undefined);
      throw error;
    }
  }

  private appendAlone(request: AppendBytes, deadline: number): Promise<AppendResp> {
    return this.client['execute'](StreamsClient, 'append', (streams) => {
      this.streams = streams;
      return new Promise<AppendResp>((resolve, reject) => {
        const [metadata, options] = this.client['callArguments']({ requiresLeader: true }, { deadline });
        const sink = streams.append(metadata, options, (error, response) => {
          if (error === null) resolve(response);
          else reject(error);
        });
        sink.on('error', reject);
        for (const message of appendMessages(request)) sink.write(message);
        sink.end();
      });
    });
  }

  /** The client's discovery of the leader has no time limit of its own. */
  private inTime<T>(work: Promise<T>, ms: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => reject(new NoAnswer(this.deadlineMs)), ms + 50);
      work.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}
