import { RestartedThread } from '../../../threads/restarted-thread.js';
import { decodeError } from '../../../threads/thread-errors.js';
import type { VaultFile, VaultWrite } from '../vault-file.js';
import { VaultThread, type VaultThreadOptions } from './vault-thread.js';

type Results = readonly PromiseSettledResult<number>[];

export interface VaultWriterOptions {
  readonly file: VaultFile;
  /** If undefined, the main thread writes everything over the connection of `file`. */
  readonly thread: VaultThreadOptions | undefined;
  readonly threadFrom?: number | undefined;
  /** Called after each group that might have changed entries, before the promises of its writes are settled. */
  readonly onWritten: () => void;
}

/**
 * The thread writes groups of at least this many writes. For smaller groups, the main thread can wait for the disk
 * itself.
 */
const manyWrites = 4;

/**
 * A thread writes large groups, so that the main thread does not wait for the disk. While the thread is busy, it gets
 * all groups, so the order of writes is preserved.
 */
export class VaultWriter {
  private readonly thread: RestartedThread<VaultThread> | undefined;

  constructor(private readonly options: VaultWriterOptions) {
    const { thread } = options;
    this.thread = thread && new RestartedThread(() => new VaultThread(thread));
  }

  /**
   * Returns the number of entries that each write has changed.
   * @throws the error that failed the whole group
   */
  write(writes: readonly VaultWrite[]): Results | Promise<Results> {
    const thread = this.threadFor(writes);
    if (thread !== undefined) return this.writtenBy(thread, writes);
    return this.done(this.options.file.write(writes));
  }

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
    const answer = await thread.request(request).catch((error: unknown) => {
      // The group might have been written, although the thread has ended.
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
