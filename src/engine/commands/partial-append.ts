import type { EventStore } from '../../ports/event-store.port.js';
import type { Loaded } from './aggregate-cache.js';

interface Appending {
  readonly stream: string;
  /** The state that the events were decided on. */
  readonly loaded: Loaded<unknown>;
}

/**
 * Returns those changes of one append that were recorded although it failed. With EventStoreDB, these are the changes
 * before the one that conflicted. The embedded store records all changes or none.
 */
export async function recordedBefore<Made extends Appending>(
  store: EventStore,
  commandId: string,
  made: readonly Made[],
  conflict: string,
): Promise<readonly Made[]> {
  const at = made.findIndex(({ stream }) => stream === conflict);
  const [first] = made;
  if (first === undefined || at < 1) return [];
  const [next] = await store.readStream(first.stream, { from: first.loaded.revision + 1, limit: 1 });
  return next?.metadata.commandId === commandId ? made.slice(0, at) : [];
}
