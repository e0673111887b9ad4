import { Injectable } from '@nestjs/common';
import { Clock } from '../../ports/clock.port.js';
import { Leases } from '../../ports/leases.port.js';
import { ProcessName } from '../cluster/process-name.js';
import { StepAttempts, Stopping } from './step-attempts.js';
import { firstAttempt, furtherAttempt, released, runEnded, stepEnded, stepOf } from './step-entries.js';
import { StepJournal } from './step-journal.js';
import type { AnyStepKind, StepOutcome } from './step-kind.js';
import { attemptOf, isOver, type StepRun, type StepRunEvent } from './step-run.record.js';
import { StepStates, type StoredState } from './step-states.js';

/** Number of times that a step is started, because its processes die, before the run fails. */
const startsAllowed = 3;

const lost = 'The service stopped while this step was going, again and again.';
const dataExpired = 'What this run was about is no longer kept, so it was not gone on with.';

/**
 * Continues a run, step by step, until it ends or has to wait. A step is claimed by appending at the revision that was
 * read, so only one process does it. The outcome is sealed in the vault before the end of the step is recorded. After a
 * crash in between, the next process finds the outcome there.
 */
@Injectable()
export class StepWorker {
  private readonly inProgress = new Set<string>();

  constructor(
    private readonly journal: StepJournal,
    private readonly states: StepStates,
    private readonly attempts: StepAttempts,
    private readonly leases: Leases,
    private readonly process: ProcessName,
    private readonly clock: Clock,
  ) {}

  /** @throws Stopping if another process is to continue; EventStoreUnavailable, VaultUnavailable before a claim */
  async resume(kind: AnyStepKind, workspaceId: string, runId: string): Promise<void> {
    if (this.inProgress.has(runId)) return;
    this.inProgress.add(runId);
    try {
      const found = await this.journal.read(kind.category, workspaceId, runId);
      let run = found && (await this.claimed(kind, found));
      while (run !== undefined) run = await this.stepOrRelease(kind, run);
    } finally {
      this.inProgress.delete(runId);
    }
  }

  /** Returns the run with a step claimed by this process, or undefined if there is nothing to do now. */
  private async claimed(kind: AnyStepKind, run: StepRun): Promise<StepRun | undefined> {
    switch (run.status) {
      case 'success':
      case 'error':
        return undefined;
      case 'waiting':
        return Date.parse(run.wakeAt ?? '') > this.clock.now() ? undefined : this.next(kind, run);
      case 'queued':
        return this.next(kind, run);
      case 'running':
        return this.takeOver(kind, run);
    }
  }

  private async next(kind: AnyStepKind, run: StepRun): Promise<StepRun | undefined> {
    const stored = await this.states.open(kind.category, run, run.state);
    if (stored === undefined) return this.append(kind, run, [runEnded(run, dataExpired)]);
    return this.append(kind, run, [await this.nextEvent(kind, run, stored.state)]);
  }

  /**
   * Takes a step over from a dead process. A live process retains its step. If this process has claimed the step but is
   * not doing it, the response to the claim was lost, and the step still has to be done.
   */
  private async takeOver(kind: AnyStepKind, run: StepRun): Promise<StepRun | undefined> {
    const isOwn = run.process === this.process.value;
    if (!isOwn && (await this.leases.processes()).some(({ name }) => name === run.process)) return undefined;
    const stored = await this.states.open(kind.category, run, run.claim);
    if (stored !== undefined) return this.conclude(kind, run, stored);
    if (isOwn) return run;
    const step = stepOf(run);
    const { number, starts } = attemptOf(step);
    if (starts >= startsAllowed) return this.append(kind, run, [stepEnded(run, lost, null), runEnded(run, lost)]);
    return this.append(kind, run, [furtherAttempt(step, number, this.process.value)]);
  }

  /**
   * Does the step. If this process leaves it unfinished, releases it, because no other process takes it over while this
   * one lives.
   */
  private async stepOrRelease(kind: AnyStepKind, run: StepRun): Promise<StepRun | undefined> {
    try {
      return await this.step(kind, run);
    } catch (error) {
      if (error instanceof Stopping) await this.journal.append(kind.category, run, [released(run)]);
      throw error;
    }
  }

  private async step(kind: AnyStepKind, run: StepRun): Promise<StepRun | undefined> {
    const stored = await this.untilAvailable(run, () => this.states.open(kind.category, run, run.state));
    if (stored === undefined) return this.failed(kind, run, { done: false, error: dataExpired, final: true });
    const outcome = await this.attempts.make(kind, run, stored.state);
    if (!outcome.done) return this.failed(kind, run, outcome);
    const { state, resumeAt, note } = outcome;
    const made = { state, ...(resumeAt === undefined ? {} : { resumeAt }), ...(note === undefined ? {} : { note }) };
    await this.untilAvailable(run, () => this.states.seal(kind.category, run, run.claim, made));
    return this.conclude(kind, run, made);
  }

  /** Records the end of a step whose outcome is sealed, together with the next event if the run continues at once. */
  private async conclude(kind: AnyStepKind, run: StepRun, stored: StoredState<object>): Promise<StepRun | undefined> {
    const { state, resumeAt = 0, note } = stored;
    const waits = resumeAt > this.clock.now();
    const goesOn = !waits && !this.attempts.stopping;
    const follows = goesOn ? [await this.untilAvailable(run, () => this.nextEvent(kind, run, state, true))] : [];
    const after = await this.append(kind, run, [stepEnded(run, null, waits ? resumeAt : null, note), ...follows]);
    if (after !== undefined) await this.states.destroy(kind.category, run, [run.state]);
    if (after?.status === 'queued') throw new Stopping();
    return after?.status === 'running' ? after : undefined;
  }

  private async failed(
    kind: AnyStepKind,
    run: StepRun,
    { error, final = false, retryAfterMs, note }: Extract<StepOutcome<object>, { done: false }>,
  ): Promise<undefined> {
    const { number: attempt } = attemptOf(stepOf(run));
    if (final || attempt >= kind.attempts) {
      await this.append(kind, run, [stepEnded(run, error, null, note), runEnded(run, error)]);
      return;
    }
    const retryAt = this.clock.now() + (retryAfterMs ?? 1_000 * 2 ** (attempt - 1));
    await this.append(kind, run, [stepEnded(run, error, retryAt, note)]);
  }

  /**
   * Returns the event that follows: the next step, another attempt after a failure, or the end. `isDone` means that the
   * current step counts as done.
   */
  private async nextEvent(kind: AnyStepKind, run: StepRun, state: object, isDone = false): Promise<StepRunEvent> {
    const why = await kind.blockedReason?.(run);
    if (why !== undefined) return runEnded(run, why);
    const last = run.steps.at(-1);
    if (!isDone && last?.status === 'again') {
      const { number, finishedAt } = attemptOf(last);
      return furtherAttempt(last, finishedAt === null ? number : number + 1, this.process.value);
    }
    const next = kind.next(state);
    if ('end' in next) return runEnded(run, next.end.error, next.end.note);
    return firstAttempt(run, next.step, this.process.value);
  }

  /**
   * Appends at the revision that was read. Returns undefined if this ended the run, or if another process was first.
   */
  private async append(kind: AnyStepKind, run: StepRun, events: readonly StepRunEvent[]): Promise<StepRun | undefined> {
    const after = await this.untilAvailable(run, () => this.journal.append(kind.category, run, events));
    if (after === undefined || !isOver(after)) return after;
    // The last state remains if it is to be retained. Earlier states are not needed.
    const needless = [run.state, run.claim].filter((state) => !(kind.keepsState && state === after.state));
    await this.states.destroy(kind.category, run, needless);
    return undefined;
  }

  /** Retries while a store is unavailable. This process has claimed the run, so no other would continue it. */
  private untilAvailable<Result>(run: StepRun, work: () => Promise<Result>): Promise<Result> {
    return this.attempts.untilAvailable(work, `Run ${run.id}`);
  }
}
