import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import {
  EmbeddedVault,
  type EmbeddedVaultOptions,
} from '../../../src/adapters/vault/embedded/embedded-vault.adapter.js';

export interface ThreadedVault {
  readonly vault: EmbeddedVault;
  /** The threads of the vault, the newest last. */
  readonly threads: readonly Worker[];
}

/** A vault whose thread is ready. It commits every write, unless `threadFrom` asks for groups. Needs a build. */
export async function threadedVault({ threadFrom = 1, ...options }: EmbeddedVaultOptions): Promise<ThreadedVault> {
  const threads: Worker[] = [];
  const vault = new EmbeddedVault({ ...options, threadFrom, onThread: (thread) => threads.push(thread) });
  await Promise.all(Array.from({ length: threadFrom }, () => vault.destroy('none')));
  const [thread] = threads;
  if (thread === undefined) throw new Error('A write started no thread.');
  await once(thread, 'message');
  return { vault, threads };
}
