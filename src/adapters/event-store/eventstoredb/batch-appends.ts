import { randomUUID } from 'node:crypto';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { type AppendAnswer, batchAnswerOf, correlationIdOf } from './append-answers.js';
import { type AppendBytes, batchMessage } from './append-messages.js';
import { NoAnswer, StreamEnded } from './errors.js';
import type { BatchAppendReq, BatchAppendResp } from './protocol.js';

export type BatchStream = ClientDuplexStream<BatchAppendReq, BatchAppendResp>;

interface Waiting {
  readonly resolve: (answer: AppendAnswer) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Sends appends over one gRPC stream. The server handles them in order and responds to each. If the gRPC stream breaks,
 * all appends without a response fail, and it is unknown which were written.
 */
export class BatchAppends {
  private current: Promise<Batch> | undefined;

  constructor(
    private readonly open: () => Promise<BatchStream>,
    private readonly deadlineMs: number,
  ) {}

  async append(request: AppendBytes, waitMs: number): Promise<AppendAnswer> {
    this.current ??= this.begin();
    const opening = this.current;
    const batch = await opening;
    try {
      return await batch.append(request, waitMs, this.deadlineMs);
    } catch (error) {
      // A server that is only busy reports this. If it does not respond at all, the gRPC stream is probably dead, so
      // the next append opens a new one.
      if (error instanceof NoAnswer && this.current === opening) {
        this.current = undefined;
        batch.giveUp();
      }
      throw error;
    }
  }

  private begin(): Promise<Batch> {
    const batch = this.open().then((stream) => new Batch(stream, () => this.drop(batch)));
    batch.catch(() => this.drop(batch));
    return batch;
  }

  private drop(batch: Promise<Batch>): void {
    if (this.current === batch) this.current = undefined;
  }
}

class Batch {
  private readonly waiting = new Map<string, Waiting>();
  private givenUp = false;
  private failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly stream: BatchStream,
    private readonly failed: () => void,
  ) {
    stream.on('data', (response: BatchAppendResp) => this.receive(response));
    stream.on('error', (error) => this.fail(error));
    stream.on('end', () => this.fail(new StreamEnded('The server ended the stream of appends.')));
  }

  append(request: AppendBytes, waitMs: number, deadlineMs: number): Promise<AppendAnswer> {
    if (this.failure !== undefined) return Promise.reject(this.failure.error);
    const id = randomUUID();
    return new Promise<AppendAnswer>((resolve, reject) => {
      const timer = setTimeout(() => this.take(id)?.reject(new NoAnswer(deadlineMs)), waitMs);
      this.waiting.set(id, { resolve, reject, timer });
      this.stream.write(batchMessage(request, id));
    });
  }

  /** Cancels the gRPC stream as soon as no append is waiting for a response. Afterwards, no append may be added. */
  giveUp(): void {
    this.givenUp = true;
    if (this.waiting.size === 0) this.stream.cancel();
  }

  private receive(response: BatchAppendResp): void {
    const append = this.take(correlationIdOf(response));
    if (append === undefined) return;
    try {
      append.resolve(batchAnswerOf(response));
    } catch (error) {
      append.reject(error);
    }
  }

  private take(id: string): Waiting | undefined {
    const append = this.waiting.get(id);
    clearTimeout(append?.timer);
    this.waiting.delete(id);
    if (this.givenUp) this.giveUp();
    return append;
  }

  private fail(error: unknown): void {
    if (this.failure !== undefined) return;
    this.failure = { error };
    this.failed();
    for (const id of [...this.waiting.keys()]) this.take(id)?.reject(error);
  }
}
