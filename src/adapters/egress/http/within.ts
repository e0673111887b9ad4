import type { Clock } from '../../../ports/clock.port.js';
import { EgressFailed } from '../../../ports/egress.port.js';

export interface TimeLimit {
  readonly clock: Clock;
  readonly ms: number;
  /** The error's sentence after a timeout. */
  readonly late: string;
  /** The error's sentence after an abort by the signal. */
  readonly stopped: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Rejects after the time limit or an abort by the signal, even if the work waits for something that cannot be
 * cancelled, such as a resolver. The work's own signal stops what it began.
 * @throws EgressFailed, and what the work throws
 */
export async function within<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const signal = limit.signal ? AbortSignal.any([limit.signal, over.signal]) : over.signal;
  const reason = () =>
    over.signal.aborted ? new EgressFailed('timeout', limit.late) : new EgressFailed('stopped', limit.stopped);
  if (signal.aborted) throw reason();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const end = () => reject(reason());
  signal.addEventListener('abort', end);
  const callOff = limit.clock.after(limit.ms, () => over.abort());
  try {
    work(signal).then(resolve, reject);
    return await promise;
  } finally {
    callOff();
    signal.removeEventListener('abort', end);
  }
}
