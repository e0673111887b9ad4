import type { DatabaseSync } from 'node:sqlite';
import type { RequestTexts } from './event-texts.js';
import { type ListResult, LogWriter, type Written } from './log-writer.js';
import { WriterThread, type WriterThreadOptions } from './writer-thread.js';

type Lists = readonly (readonly RequestTexts[])[];

export interface WritersOptions {
  readonly database: DatabaseSync;
  /** Undefined: everything is written on the main thread, over the connection above. */
  readonly thread: Omit<WriterThreadOptions, 'onWritten' | 'onGone'> | undefined;
  /** Called with each transaction, before its appends resolve. */
  readonly onWritten: (lists: Lists, written: Written) => void;
  readonly onError: (error: unknown) => void;
}

/** After so many lone appends in a row the main thread commits them itself. */
const loneAppends = 50;

/** A thread that ended is not started again before this pause is over. */
const restartAfterMs = 1_000;

/**
 * Chooses who writes. Where appends come together a thread writes, so that the main thread works on while it waits for
 * the disk. Lone appends are committed by the main thread itself: nothing else would be done meanwhile, and the way to
 * the thread and back takes half as long as the commit (measured). The main thread also writes while there is no thread.
 * To each of the two writers the other is like another process that writes the same file.
 */
export class Writers {
  private readonly main: LogWriter;
  private thread: WriterThread | undefined;
  private restartAt = 0;
  /** Lone appends in a row. */
  private lone = loneAppends;

  constructor(private readonly options: WritersOptions) {
    this.main = new LogWriter(options.database);
  }

  /** Without lists, only checks for commits of other processes. @throws what made the whole group fail */
  record(lists: Lists): readonly ListResult[] | Promise<readonly ListResult[]> {
    const thread = this.threadFor(lists);
    if (thread !== undefined) return thread.append(lists);
    const written = this.main.record(lists);
    this.options.onWritten(lists, written);
    if ('failure' in written.outcome) throw written.outcome.failure;
    return written.outcome.results;
  }

  /** @param marked is called when the events are durably hidden; their rows are deleted after that. */
  async prune(stream: string, beforeRevision: number, marked: () => void): Promise<void> {
    await (this.threadInUse() ?? this.main).prune(stream, beforeRevision, marked);
  }

  /** Finds out whether the file can be written. */
  async tryToWrite(): Promise<void> {
    await (this.threadInUse() ?? this.main).tryToWrite();
  }

  /** Everything asked for before is done first. */
  async close(): Promise<void> {
    await this.thread?.close();
  }

  private threadFor(lists: Lists): WriterThread | undefined {
    const { thread: options } = this.options;
    if (options === undefined) return undefined;
    if (lists.length > 1 || this.thread?.isBusy === true) this.lone = 0;
    else this.lone += lists.length;
    if (this.lone >= loneAppends) return undefined;
    if (this.thread?.over !== false && performance.now() >= this.restartAt) this.thread = this.start(options);
    return this.threadInUse();
  }

  private threadInUse(): WriterThread | undefined {
    return this.thread?.isReady === true && this.lone < loneAppends ? this.thread : undefined;
  }

  private start(options: NonNullable<WritersOptions['thread']>): WriterThread {
    return new WriterThread({
      ...options,
      onWritten: this.options.onWritten,
      onGone: (reason) => {
        this.restartAt = performance.now() + restartAfterMs;
        this.options.onError(new Error('The thread that writes the log has ended.', { cause: reason }));
      },
    });
  }
}
