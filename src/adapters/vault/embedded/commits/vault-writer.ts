import { RestartedThread } from '../../../threads/restarted-thread.js';
import { decodeError } from '../../../threads/thread-errors.js';
import type { VaultFile, VaultWrite } from '../vault-file.js';
import { VaultThread, type VaultThreadOptions } from './vault-thread.js';

type Results = readonly PromiseSettledResult<number>[];

export interface VaultWriterOptions {
  readonly file: VaultFile;
  /** If undefined, the main thread writes everything over the connection above. */
  readonly thread: VaultThreadOptions | undefined;
  /** Smallest group that the thread writes. */
  readonly threadFrom?: number | undefined;
  /** Called after every group that may have changed entries, before its writes resolve. */
  readonly onWritten: () => void;
}

/**
 * With a smaller group, little else is going on, so the main thread writes it and waits for the disk itself.
 */
const manyWrites = 4;

/**
 * Chooses the writer of a group: a thread for large groups, so that the main thread can work while the thread waits for
 * the disk. Only one of the two writes at a time, so that neither waits for the other's lock and the order of writes is
 * preserved.
 */
export class VaultWriter {
  private readonly thread: RestartedThread<VaultThread> | undefined;

  constructor(private readonly options: VaultWriterOptions) {
    const { thread } = options;
    this.thread = thread && new RestartedThread(() => new VaultThread(thread));
  }

  /** Returns the number of entries that each write has changed. @throws the error that failed the whole group */
  write(writes: readonly VaultWrite[]): Results | Promise<Results> {
    const thread = this.threadFor(writes);
    if (thread !== undefined) return this.writtenBy(thread, writes);
    return this.done(this.options.file.write(writes));
  }

  /** Completes all earlier requests, then closes. */
  async close(): Promise<void> {
    await this.thread?.close();
  }

  private threadFor({ length }: readonly VaultWrite[]): VaultThread | undefined {
    const isMany = length >= (this.options.threadFrom ?? manyWrites);
    return this.thread?.busy ?? (isMany ? this.thread?.get() : undefined);
  }

  private async writtenBy(thread: VaultThread, writes: readonly VaultWrite[]): Promise<Results> {
    const { file } = this.options;
    const request = { writes, leftovers: file.leftovers };
    file.leftovers = false;
    const answer = await thread.ask(request).catch((error: unknown) => {
      // The group may have been written nevertheless.
      file.leftovers = true;
      this.options.onWritten();
      throw error;
    });
    file.leftovers ||= answer.leftovers;
    if ('failure' in answer) throw decodeError(answer.failure);
    return this.done(answer.changed);
  }

  private done(changed: readonly number[]): Results {
    if (changed.some((count) => count > 0)) this.options.onWritten();
    return changed.map((value) => ({ status: 'fulfilled', value }));
  }
}
