import { StoreRetry } from '../../../src/engine/cluster/store-retry.js';
import type { Blobs } from '../../../src/ports/blobs.port.js';
import type { Clock } from '../../../src/ports/clock.port.js';
import type { EventStore } from '../../../src/ports/event-store.port.js';
import type { Messages } from '../../../src/ports/messages.port.js';
import type { ReadStore } from '../../../src/ports/read-store.port.js';
import type { Vault } from '../../../src/ports/vault.port.js';

type Check = () => Promise<void>;
const well: Check = async () => {};

/** Creates retries for stores whose probes give these results. All other stores are available. */
export function storeRetryOf(
  clock: Clock,
  checks: { readonly events?: Check; readonly vault?: Check } = {},
): StoreRetry {
  const there = { check: well };
  const events = { check: checks.events ?? well } as EventStore;
  const vault = { check: checks.vault ?? well } as Vault;
  return new StoreRetry(events, there as ReadStore, vault, there as Blobs, there as Messages, clock);
}
