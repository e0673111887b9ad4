import { RestartedThread } from '../../../threads/restarted-thread.js';
import { decodeError } from '../../../threads/thread-errors.js';
import type { VaultFile, VaultWrite } from '../vault-file.js';
import { VaultThread, type VaultThreadOptions } from './vault-thread.js';

type Results = readonly PromiseSettledResult<number>[];

export interface VaultWriterOptions {
  readonly file: VaultFile;
  /** Options of the thread. If undefined, the main thread writes everything over the connection of `file`. */
  readonly thread: VaultThreadOptions | undefined;
  /** Minimum number of writes in a group that the thread writes. Default: 4. */
  readonly threadFrom?: number | undefined;
  /** Called after each group that may have changed entries, before the promises of its writes are settled. */
  readonly onWritten: () => void;
}

/**
 * Minimum number of writes in a group that the thread writes. A smaller group means that there is little other work, so
 * the main thread can wait for the disk itself.
 */
const manyWrites = 4;

/**
 * Chooses the writer of each group. Large groups are written by a thread, so that the main thread can work while the
 * thread waits for the disk. While the thread is busy, it gets all groups. So neither of the two waits for the other's
 * lock, and the order of writes is preserved.
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

  /** Closes the thread after all earlier requests. Terminates it at once if it is still starting. */
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
      // The thread has ended, but the group may have been written nevertheless.
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
