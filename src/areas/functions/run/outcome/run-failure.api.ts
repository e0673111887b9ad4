import type { Logger } from '@nestjs/common';
import { refusalOfError } from '../../../../engine/cluster/refusal-of-error.js';
import { reasonOf } from '../../../../kernel/reason.js';
import type { Refusal } from '../../../../kernel/refusals/refusal.js';

export interface RunFailure {
  /** Recorded as the error of the run. Reveals nothing of a fault of the service. */
  readonly error: string;
  readonly refusal?: Refusal | undefined;
}

const unexpected = 'The function failed because of a fault of the service; the log of the service has the details.';

/** For errors that the function's own code did not cause. Logs all but refusals. */
export function runFailure(log: Logger, { runId }: { readonly runId: string }, error: unknown): RunFailure {
  const report = (sentence: string) => log.error(`Run ${runId} failed: ${sentence}`);
  const refusal = refusalOfError(error, report);
  if (refusal !== undefined) return { error: refusal.message, refusal };
  report(reasonOf(error));
  return { error: unexpected };
}
