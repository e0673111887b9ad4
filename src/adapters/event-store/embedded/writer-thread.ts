import type { Worker } from 'node:worker_threads';
import { EventStoreUnavailable } from '../../../ports/event-store.port.js';
import { PersistentThread } from '../../threads/persistent-thread.js';
import type { RequestTexts } from './event-texts.js';
import type { ListResult, WrittenGroup } from './log-writer.js';
import { decodeWriterError, decodeWritten, flatten, type WriterAnswer, type WriterRequest } from './writer-messages.js';

type Lists = readonly (readonly RequestTexts[])[];

export interface WriterThreadOptions {
  readonly directory: string;
  readonly onWritten: (lists: Lists, written: WrittenGroup) => void;
  /** Called when the thread has ended by itself, with the reason if it is known. */
  readonly onGone: (reason: unknown) => void;
  readonly maxPages?: number | undefined;
  readonly onThread?: ((thread: Worker) => void) | undefined;
}

interface Append {
  readonly lists: Lists;
  resolve(results: readonly ListResult[]): void;
  reject(error: unknown): void;
}

interface Task {
  readonly marked: () => void;
  resolve(): void;
  reject(error: unknown): void;
}

/** If the thread ends, requests without a response are rejected, and it is unknown whether they were recorded. */
export class WriterThread {
  private readonly thread: PersistentThread<WriterRequest, WriterAnswer>;
  private appends: Append[] = [];
  private readonly tasks = new Map<number, Task>();
  private lastNumber = 0;

  constructor(private readonly options: WriterThreadOptions) {
    const { directory, maxPages, onThread } = options;
    this.thread = new PersistentThread({
      name: 'log-writer',
      beside: import.meta.url,
      script: 'thread.js',
      data: { directory, maxPages },
      onAnswer: (answer) => this.receive(answer),
      onGone: (reason) => this.end(reason),
      onThread,
    });
  }

  get isReady(): boolean {
    return this.thread.isReady;
  }

  get over(): boolean {
    return this.thread.over;
  }

  get isBusy(): boolean {
    return this.appends.length > 0 || this.tasks.size > 0;
  }

  append(lists: Lists): Promise<readonly ListResult[]> {
    return new Promise((resolve, reject) => {
      this.appends.push({ lists, resolve, reject });
      this.thread.post({ kind: 'append', lists: flatten(lists) });
    });
  }

  prune(stream: string, beforeRevision: number, marked: () => void): Promise<void> {
    return this.task(marked, (number) => ({ kind: 'prune', number, stream, beforeRevision }));
  }

  tryToWrite(): Promise<void> {
    return this.task(
      () => undefined,
      (number) => ({ kind: 'try', number }),
    );
  }

  close(): Promise<void> {
    return this.thread.close();
  }

  private task(marked: () => void, request: (number: number) => WriterRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      this.lastNumber += 1;
      this.tasks.set(this.lastNumber, { marked, resolve, reject });
      this.thread.post(request(this.lastNumber));
    });
  }

  private receive(answer: WriterAnswer): boolean {
    switch (answer.kind) {
      case 'appended':
        this.appended(this.appends.splice(0, answer.messages), decodeWritten(answer.written));
        break;
      case 'marked':
        this.tasks.get(answer.number)?.marked();
        break;
      case 'done': {
        const task = this.tasks.get(answer.number);
        this.tasks.delete(answer.number);
        if (answer.failure === undefined) task?.resolve();
        else task?.reject(decodeWriterError(answer.failure));
      }
    }
    return this.isBusy;
  }

  private appended(answered: readonly Append[], written: WrittenGroup): void {
    this.options.onWritten(
      answered.flatMap(({ lists }) => lists),
      written,
    );
    const { outcome } = written;
    let at = 0;
    for (const { lists, resolve, reject } of answered) {
      if ('failure' in outcome) reject(outcome.failure);
      else resolve(outcome.results.slice(at, at + lists.length));
      at += lists.length;
    }
  }

  private end(reason: unknown): void {
    const error = new EventStoreUnavailable(
      'The event store is not available: the thread that writes it has ended; append again to find out what was recorded.',
      { cause: reason },
    );
    const unanswered = [...this.appends, ...this.tasks.values()];
    this.appends = [];
    this.tasks.clear();
    if (!this.thread.isClosing) this.options.onGone(reason);
    for (const { reject } of unanswered) reject(error);
  }
}
