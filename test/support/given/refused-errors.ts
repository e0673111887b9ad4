import { UnreadableEvent } from '../../../src/kernel/event/unreadable-event.js';
import { BlobsUnavailable } from '../../../src/ports/blobs.port.js';
import { EventStoreUnavailable } from '../../../src/ports/event-store.port.js';
import { MessagesUnavailable } from '../../../src/ports/messages.port.js';
import { ReadStoreUnavailable } from '../../../src/ports/read-store.port.js';
import { TextsUnavailable } from '../../../src/ports/texts.port.js';
import { VaultUnavailable } from '../../../src/ports/vault.port.js';

const place = { id: 'evt_1', stream: 'function-ws_1.fn_1', revision: 1, position: 7, type: 'FunctionCreated' };

/** Errors that callers get as refusals, each with the code and a part of what is logged. */
export const refusedErrors: readonly (readonly [error: Error, code: string, logged: string])[] = [
  [new EventStoreUnavailable('away'), 'store-unavailable', 'The event store is unavailable: away'],
  [new ReadStoreUnavailable('away'), 'store-unavailable', 'The read store is unavailable: away'],
  [new VaultUnavailable('away'), 'store-unavailable', 'The vault is unavailable: away'],
  [new BlobsUnavailable('away'), 'store-unavailable', 'The blob store is unavailable: away'],
  [new TextsUnavailable('away'), 'store-unavailable', 'The store of texts is unavailable: away'],
  [new MessagesUnavailable('away'), 'store-unavailable', 'The message broker is unavailable: away'],
  [new UnreadableEvent(place, 'damaged'), 'record-set-aside', 'at position 7, cannot be read: damaged.'],
];
