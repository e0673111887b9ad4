import type { Blobs } from '../../ports/blobs.port.js';
import type { EventStore } from '../../ports/event-store.port.js';
import type { Vault } from '../../ports/vault.port.js';

/** What of an installation is carried: all but what is made of it again. */
export interface CarriedStores {
  readonly events: EventStore;
  readonly vault: Vault;
  readonly blobs: Blobs;
}
