import type { DatabaseSync } from 'node:sqlite';
import { RestartedThread } from '../../threads/restarted-thread.js';
import type { RequestTexts } from './event-texts.js';
import { type ListResult, LogWriter, type WrittenGroup } from './log-writer.js';
import { WriterThread, type WriterThreadOptions } from './writer-thread.js';

type Lists = readonly (readonly RequestTexts[])[];

export interface WritersOptions {
  readonly database: DatabaseSync;
  /** If undefined, the main thread writes everything over `database`. */
  readonly thread: Omit<WriterThreadOptions, 'onWritten' | 'onGone'> | undefined;
  readonly onWritten: (lists: Lists, written: WrittenGroup) => void;
  readonly onError: (error: unknown) => void;
}

const loneAppends = 50;

/**
 * Appends that arrive together are written by a thread, so that the main thread can work while the thread waits for the
 * disk. After `loneAppends` appends that arrived one at a time, the main thread commits such appends itself, because
 * the round trip to the thread takes half as long as a commit (measured). Each writer treats the other like another
 * process that writes the same file.
 */
export class Writers {
  private readonly main: LogWriter;
  private readonly thread: RestartedThread<WriterThread> | undefined;
  private lone = loneAppends;

  constructor(private readonly options: WritersOptions) {
    this.main = new LogWriter(options.database);
    const { thread } = options;
    this.thread = thread && new RestartedThread(() => this.start(thread));
  }

  /**
   * If `lists` is empty, only checks for commits by other processes.
   * @throws the error that failed the whole transaction, or rejects with it if the thread writes
   */
  record(lists: Lists): readonly ListResult[] | Promise<readonly ListResult[]> {
    const thread = this.threadFor(lists);
    if (thread !== undefined) return thread.append(lists);
    const written = this.main.record(lists);
    this.options.onWritten(lists, written);
    if ('failure' in written.outcome) throw written.outcome.failure;
    return written.outcome.results;
  }

  async prune(stream: string, beforeRevision: number, marked: () => void): Promise<void> {
    await (this.threadInUse() ?? this.main).prune(stream, beforeRevision, marked);
  }

  async tryToWrite(): Promise<void> {
    await (this.threadInUse() ?? this.main).tryToWrite();
  }

  async close(): Promise<void> {
    await this.thread?.close();
  }

  private threadFor(lists: Lists): WriterThread | undefined {
    if (this.thread === undefined) return undefined;
    if (lists.length > 1 || this.thread.busy !== undefined) this.lone = 0;
    else this.lone += lists.length;
    return this.lone < loneAppends ? this.thread.get() : undefined;
  }

  private threadInUse(): WriterThread | undefined {
    return this.lone < loneAppends ? this.thread?.ready : undefined;
  }

  private start(options: NonNullable<WritersOptions['thread']>): WriterThread {
    return new WriterThread({
      ...options,
      onWritten: this.options.onWritten,
      onGone: (reason) =>
        this.options.onError(new Error('The thread that writes the log has ended.', { cause: reason })),
    });
  }
}
