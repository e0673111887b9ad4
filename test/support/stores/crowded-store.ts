import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import {
  EmbeddedEventStore,
  type EmbeddedEventStoreOptions,
} from '../../../src/adapters/event-store/embedded/embedded-event-store.adapter.js';
import { Scene } from '../../contracts/event-store/event-store-scene.js';

export interface CrowdedStore {
  readonly store: EmbeddedEventStore;
  /** The threads of the store, the newest last. */
  readonly threads: readonly Worker[];
}

/** A log whose appends the thread writes: it has had several at once, and the thread they start is ready. */
export async function crowdedStore(options: EmbeddedEventStoreOptions): Promise<CrowdedStore> {
  const threads: Worker[] = [];
  const store = new EmbeddedEventStore({ ...options, onThread: (thread) => threads.push(thread) });
  await crowd(store);
  const [thread] = threads;
  if (thread === undefined) throw new Error('Several appends at once started no thread.');
  await once(thread, 'message');
  return { store, threads };
}

/** Two appends of one turn. */
export async function crowd(store: EmbeddedEventStore): Promise<void> {
  const scene = new Scene();
  await Promise.all(['a', 'b'].map((id) => store.append([scene.request(id, 'none')])));
}
