import { EventStoreUnavailable } from '../../../ports/event-store.port.js';
import { sqliteErrorText } from '../../sqlite/sqlite-errors.js';

export function available<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    return rethrowAsUnavailable(error);
  }
}

export function rethrowAsUnavailable(error: unknown): never {
  const trouble = sqliteErrorText(error);
  if (trouble === undefined) throw error;
  throw new EventStoreUnavailable(`The event store is not available: ${trouble}.`, { cause: error });
}
