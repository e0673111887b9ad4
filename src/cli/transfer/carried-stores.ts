import type { Blobs } from '../../ports/blobs.port.js';
import type { EventStore } from '../../ports/event-store.port.js';
import type { Texts } from '../../ports/texts.port.js';
import type { Vault } from '../../ports/vault.port.js';

/** Read models are not exported, because they can be rebuilt. */
export interface CarriedStores {
  readonly events: EventStore;
  readonly vault: Vault;
  readonly blobs: Blobs;
  readonly texts: Texts;
}
