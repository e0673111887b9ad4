import { UnreadableEvent } from '../../kernel/event/unreadable-event.js';
import { reasonOf } from '../../kernel/reason.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { TextsUnavailable } from '../../ports/texts.port.js';
import { refusalOf } from '../refusals/engine.refusals.js';
import { unavailableStores } from './unavailable-stores.js';

/**
 * Returns the refusal that callers get for this error, over HTTP as well as in code; undefined for a fault of the
 * service. The reason is only logged, because it can reveal details of the installation.
 * @param warn is called for errors that are not refusals themselves
 */
export function refusalOfError(error: unknown, warn: (sentence: string) => void): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof UnreadableEvent) {
    warn(error.message);
    return refusalOf('record-set-aside', { type: error.type });
  }
  const store = unavailableFor(error);
  if (store === undefined) return undefined;
  warn(`The ${store} is unavailable: ${reasonOf(error)}`);
  return refusalOf('store-unavailable', { store }, { retryAfterSeconds: 5 });
}

/** Includes the store of texts, for which no work waits, because a text that is missing may never return. */
function unavailableFor(error: unknown): string | undefined {
  return error instanceof TextsUnavailable ? 'store of texts' : unavailableStores(error)[0];
}
