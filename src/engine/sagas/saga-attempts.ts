import { Refusal } from '../../kernel/refusals/refusal.js';
import type { Clock } from '../../ports/clock.port.js';
import { faultReason } from '../cluster/fault-reason.js';
import type { StoreRetry } from '../cluster/store-retry.js';
import type { Fault } from './parked-events.js';

/**
 * Pauses between the attempts at an event. During a pause, other events of the saga wait. After the last attempt the
 * event is parked.
 */
const pausesMs = [200, 800];
/**
 * If this many subjects have parked events, further events are parked after one failure, because the cause is probably
 * not temporary.
 */
const mostPatient = 5;
/**
 * Shortest and longest pause before a parked event is tried again. From the fourth failure on, the pause doubles after
 * each failure. A longer `Retry-After` of a refusal applies instead.
 */
const againMs = { first: 60_000, longest: 3_600_000 };

export class SagaAttempts {
  constructor(
    private readonly storeRetry: StoreRetry,
    private readonly clock: Clock,
  ) {}

  triesFor(parkedSubjects: number): number {
    return parkedSubjects < mostPatient ? pausesMs.length + 1 : 1;
  }

  /**
   * Waits while a store is unavailable. `before` is the number of earlier attempts at the same event. Returns undefined
   * if an attempt succeeded.
   * @throws the error of the last attempt if `stopping` is aborted
   */
  async run(
    work: () => Promise<void>,
    stopping: AbortSignal,
    { tries, before = 0 }: { readonly tries: number; readonly before?: number },
  ): Promise<Fault | undefined> {
    for (let number = 1; ; number += 1) {
      try {
        await this.storeRetry.untilAvailable(work, stopping);
        return undefined;
      } catch (error) {
        if (stopping.aborted) throw error;
        if (number >= tries) return this.faultOf(error, before + number);
        await this.pause(pausesMs[number - 1] ?? 0, stopping);
        if (stopping.aborted) throw error;
      }
    }
  }

  private pause(ms: number, stopping: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        callOff();
        stopping.removeEventListener('abort', end);
        resolve();
      };
      const callOff = this.clock.after(ms, end);
      stopping.addEventListener('abort', end, { once: true });
    });
  }

  private faultOf(error: unknown, tries: number): Fault {
    const doublings = Math.max(0, tries - pausesMs.length - 1);
    const ownMs = Math.min(againMs.first * 2 ** Math.min(doublings, 20), againMs.longest);
    const retryAfterSeconds = error instanceof Refusal ? (error.facts.retryAfterSeconds ?? 0) : 0;
    const againAt = new Date(this.clock.now() + Math.max(ownMs, retryAfterSeconds * 1_000)).toISOString();
    return { reason: faultReason(error), tries, againAt };
  }
}
