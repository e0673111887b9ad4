import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import {
  EmbeddedVault,
  type EmbeddedVaultOptions,
} from '../../../src/adapters/vault/embedded/embedded-vault.adapter.js';

export interface ThreadedVault {
  readonly vault: EmbeddedVault;
  /** The vault's threads, newest last. */
  readonly threads: readonly Worker[];
}

/** Opens a vault whose thread is ready. The thread commits groups of at least `threadFrom` writes. Needs a build. */
export async function threadedVault({ threadFrom = 1, ...options }: EmbeddedVaultOptions): Promise<ThreadedVault> {
  const threads: Worker[] = [];
  const vault = new EmbeddedVault({ ...options, threadFrom, onThread: (thread) => threads.push(thread) });
  await Promise.all(Array.from({ length: threadFrom }, () => vault.destroy('none')));
  const [thread] = threads;
  if (thread === undefined) throw new Error('A write started no thread.');
  await once(thread, 'message');
  return { vault, threads };
}
