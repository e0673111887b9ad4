import { Injectable, Logger } from '@nestjs/common';
import { reasonOf } from '../../kernel/reason.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { Clock } from '../../ports/clock.port.js';
import { StoreRetry } from '../cluster/store-retry.js';
import { unavailableStores } from '../cluster/unavailable-stores.js';
import { Calls } from '../operation/calls.js';
import type { AnyStepKind, StepInHand, StepName, StepOutcome } from './step-kind.js';
import { attemptOf, type StepRun } from './step-run.record.js';

const unexpected = 'The step failed because of a fault of the service; the log of the service has the details.';

/** Thrown when this process is stopping. Another process continues the run. */
export class Stopping extends Error {
  constructor() {
    super('This process is stopping; another process continues the run.');
  }
}

/** Turns every failure of an attempt into an outcome, unless the process is stopping. */
@Injectable()
export class StepAttempts {
  private readonly log = new Logger('Steps');
  private stopped = new AbortController();
  private readonly stops = new Set<() => void>();

  constructor(
    private readonly calls: Calls,
    private readonly clock: Clock,
    private readonly storeRetry: StoreRetry,
  ) {}

  get stopping(): boolean {
    return this.stopped.signal.aborted;
  }

  /** May be called several times, because each kind of run calls it when its job starts. */
  begin(): void {
    if (this.stopping) this.stopped = new AbortController();
  }

  stop(): void {
    this.stopped.abort();
    for (const stop of this.stops) stop();
  }

  async run(kind: AnyStepKind, run: StepRun, state: object): Promise<StepOutcome<object>> {
    const { promise: stopping, resolve } = Promise.withResolvers<void>();
    this.stops.add(resolve);
    if (this.stopping) resolve();
    const stepInHand = this.stepInHand(run, state, stopping);
    try {
      return await this.untilAvailable(() => kind.perform(stepInHand), `Step ${stepInHand.number} of run ${run.id}`);
    } catch (error) {
      if (error instanceof Stopping) throw error;
      if (error instanceof Refusal) return refused(error);
      this.log.error(`Step ${stepInHand.number} of run ${run.id} failed unexpectedly: ${reasonOf(error)}`);
      return { done: false, error: unexpected };
    } finally {
      this.stops.delete(resolve);
    }
  }

  /** @throws Stopping when this process is stopping; any other error of the work */
  async untilAvailable<Result>(work: () => Promise<Result>, what: string): Promise<Result> {
    for (let pauseMs = 1_000; ; pauseMs = Math.min(pauseMs * 2, 30_000)) {
      try {
        return await this.storeRetry.untilAvailable(work, this.stopped.signal);
      } catch (error) {
        if (!isAway(error)) throw error;
        if (this.stopping) throw new Stopping();
        this.log.warn(`${what} is retried in ${pauseMs} ms: ${reasonOf(error)}`);
        await this.pause(pauseMs);
        if (this.stopping) throw new Stopping();
      }
    }
  }

  private stepInHand(run: StepRun, state: object, stopping: Promise<void>): StepInHand<object> {
    const current = run.steps.at(-1);
    if (current === undefined) throw new Error(`Run ${run.id} has no current step.`);
    const { number, id, name } = current;
    const { number: attempt } = attemptOf(current);
    const step: StepName = { id, name };
    const stepKey = `${run.id}/${number}`;
    const attemptKey = `${stepKey}/${attempt}`;
    const { workspaceId, correlationId } = run;
    const facts = { run, state, step, number, attempt, stepKey, attemptKey, stopping };
    return {
      ...facts,
      call: (actor, operation, what = '') =>
        this.calls.derived({
          workspaceId,
          actor,
          operation,
          from: `${attemptKey}/${operation}/${what}`,
          correlationId,
          causationId: run.id,
          notBefore: run.position,
        }),
    };
  }

  private async pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.stops.add(resolve);
    const callOff = this.clock.after(ms, resolve);
    await promise;
    callOff();
    this.stops.delete(resolve);
  }
}

/** Another attempt helps only after a conflict, or after a limit with a `Retry-After`. */
function refused({ kind, message: error, facts: { retryAfterSeconds } }: Refusal): StepOutcome<object> {
  if (kind === 'conflict') return { done: false, error };
  if (kind !== 'limited' || retryAfterSeconds === undefined) return { done: false, error, final: true };
  return { done: false, error, limited: true, retryAfterMs: retryAfterSeconds * 1_000 };
}

function isAway(error: unknown): boolean {
  return unavailableStores(error).length > 0 || (error instanceof Refusal && error.kind === 'unavailable');
}
