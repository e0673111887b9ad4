import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import {
  EmbeddedEventStore,
  type EmbeddedEventStoreOptions,
} from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { Scene } from '../../contracts/event-store/event-store-scene.js';

export interface CrowdedStore {
  readonly store: EmbeddedEventStore;
  /** The store's threads, newest last. */
  readonly threads: readonly Worker[];
}

/**
 * Opens an event store whose thread writes the appends. Two concurrent appends have started the thread, and it is
 * ready.
 */
export async function crowdedStore(options: EmbeddedEventStoreOptions): Promise<CrowdedStore> {
  const threads: Worker[] = [];
  const store = new EmbeddedEventStore({ ...options, onThread: (thread) => threads.push(thread) });
  await crowd(store);
  const [thread] = threads;
  if (thread === undefined) throw new Error('Several appends at once started no thread.');
  await once(thread, 'message');
  return { store, threads };
}

/** Appends twice at the same time. */
export async function crowd(store: EmbeddedEventStore): Promise<void> {
  const scene = new Scene();
  await Promise.all(['a', 'b'].map((id) => store.append([scene.request(id, 'none')])));
}
