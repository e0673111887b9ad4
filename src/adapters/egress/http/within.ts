import type { Clock } from '../../../ports/clock.port.js';
import { EgressFailed } from '../../../ports/network/egress.port.js';

export interface TimeLimit {
  readonly clock: Clock;
  readonly ms: number;
  readonly late: string;
  /** Error message after an abort by the signal. */
  readonly stopped: string;
  readonly signal: AbortSignal | undefined;
}

export class RunningTime {
  readonly signal: AbortSignal;
  private readonly over = new AbortController();
  private readonly callOff: () => void;

  constructor(private readonly limit: TimeLimit) {
    this.signal = limit.signal ? AbortSignal.any([limit.signal, this.over.signal]) : this.over.signal;
    this.callOff = limit.clock.after(limit.ms, () => this.over.abort());
  }

  reason(): EgressFailed {
    const { late, stopped } = this.limit;
    return this.over.signal.aborted ? new EgressFailed('timeout', late) : new EgressFailed('stopped', stopped);
  }

  async race<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.signal.aborted) throw this.reason();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const end = () => reject(this.reason());
    this.signal.addEventListener('abort', end);
    try {
      work(this.signal).then(resolve, reject);
      return await promise;
    } finally {
      this.signal.removeEventListener('abort', end);
    }
  }

  end(): void {
    this.callOff();
  }
}

/**
 * Rejects in time even if the work waits for something that cannot be cancelled, such as a resolver.
 * @throws EgressFailed, and any error of the work
 */
export async function withinTimeLimit<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const time = new RunningTime(limit);
  try {
    return await time.race(work);
  } finally {
    time.end();
  }
}
