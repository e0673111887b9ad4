import type { Logger } from '@nestjs/common';
import { unavailableStores } from '../../../../engine/cluster/unavailable-stores.js';
import { refusalOf } from '../../../../engine/refusals/engine.refusals.js';
import { reasonOf } from '../../../../kernel/reason.js';
import { Refusal } from '../../../../kernel/refusals/refusal.js';

export interface RunFailure {
  /** Recorded as the error of the run. Reveals nothing of a fault of the service. */
  readonly error: string;
  readonly refusal?: Refusal | undefined;
}

const unexpected = 'The function failed because of a fault of the service; the log of the service has the details.';

/** For errors that the function's own code did not cause. Logs all but refusals. */
export function runFailure(log: Logger, { runId }: { readonly runId: string }, error: unknown): RunFailure {
  if (error instanceof Refusal) return { error: error.message, refusal: error };
  log.error(`Run ${runId} failed: ${reasonOf(error)}`);
  const [store] = unavailableStores(error);
  if (store === undefined) return { error: unexpected };
  const refusal = refusalOf('store-unavailable', { store }, { retryAfterSeconds: 5 });
  return { error: refusal.message, refusal };
}
