import { Refusal } from '../../kernel/refusals/refusal.js';
import { BlobsUnavailable } from '../../ports/blobs.port.js';
import { EventStoreUnavailable } from '../../ports/event-store.port.js';
import { MessagesUnavailable } from '../../ports/messages.port.js';
import { ReadStoreUnavailable } from '../../ports/read-store.port.js';
import { VaultUnavailable } from '../../ports/vault.port.js';

export type StoreName = 'event store' | 'read store' | 'vault' | 'blob store' | 'message broker';

const errors = [
  [EventStoreUnavailable, 'event store'],
  [ReadStoreUnavailable, 'read store'],
  [VaultUnavailable, 'vault'],
  [BlobsUnavailable, 'blob store'],
  [MessagesUnavailable, 'message broker'],
] as const;

export function unavailableStores(error: unknown): readonly StoreName[] {
  // Journals throw the refusal `store-unavailable` when the event store is unavailable.
  if (error instanceof Refusal) return error.code === 'store-unavailable' ? ['event store'] : [];
  const found = errors.find(([type]) => error instanceof type);
  return found === undefined ? [] : [found[1]];
}
