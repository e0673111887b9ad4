import { Injectable } from '@nestjs/common';
import { Clock } from '../../ports/clock.port.js';
import { Leases } from '../../ports/leases.port.js';
import { ProcessName } from '../cluster/process-name.js';
import { StepAttempts, Stopping } from './step-attempts.js';
import { firstAttempt, furtherAttempt, released, runEnded, stepEnded, stepOf } from './step-entries.js';
import { StepJournal } from './step-journal.js';
import type { AnyStepKind, StepOutcome } from './step-kind.js';
import { nextAttemptAt } from './step-retry.js';
import { attemptOf, isOver, type StepRun, type StepRunEvent } from './step-run.record.js';
import { StepStates, type StoredState } from './step-states.js';

/** Maximum number of starts of one attempt. If a process dies after each of them, the run fails. */
const startsAllowed = 3;

const lost = 'The service stopped repeatedly while this step was running.';
const dataExpired = 'The data of this run has expired, so the run was not continued.';

/**
 * A process claims a step by appending an event at the revision that it read, so only one process can claim it. The
 * outcome is sealed in the vault before the end of the step is recorded in the journal. If the process dies in between,
 * the next process finds the outcome in the vault.
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

  /**
   * @throws Stopping if this process is stopping, so another one must continue; EventStoreUnavailable or
   * VaultUnavailable before a step is claimed
   */
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
   * Does nothing if the step's process is alive. If this process itself has claimed the step, the response to that
   * append was lost, and the step still has to be performed.
   */
  private async takeOver(kind: AnyStepKind, run: StepRun): Promise<StepRun | undefined> {
    const isOwn = run.process === this.process.value;
    if (!isOwn && (await this.leases.processes()).some(({ name }) => name === run.process)) return undefined;
    const stored = await this.states.open(kind.category, run, run.claim);
    if (stored !== undefined) return this.conclude(kind, run, stored);
    if (isOwn) return run;
    const step = stepOf(run);
    const { number, starts } = attemptOf(step);
    if (starts >= startsAllowed) return this.append(kind, run, [stepEnded(run, { error: lost }), runEnded(run, lost)]);
    return this.append(kind, run, [furtherAttempt(step, number, this.process.value)]);
  }

  /**
   * Releases the unfinished step if this process is stopping. Otherwise another process could take it over only after
   * this one has ended.
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
    const outcome = await this.attempts.run(kind, run, stored.state);
    if (!outcome.done) return this.failed(kind, run, outcome);
    const { state, resumeAt, note } = outcome;
    const made = { state, ...(resumeAt === undefined ? {} : { resumeAt }), ...(note === undefined ? {} : { note }) };
    await this.untilAvailable(run, () => this.states.seal(kind.category, run, run.claim, made));
    return this.conclude(kind, run, made);
  }

  /**
   * If the run continues at once, the next event is recorded in the same append.
   * @throws Stopping if the run could continue at once but this process is stopping
   */
  private async conclude(kind: AnyStepKind, run: StepRun, stored: StoredState<object>): Promise<StepRun | undefined> {
    const { state, resumeAt = 0, note } = stored;
    const waits = resumeAt > this.clock.now();
    const goesOn = !waits && !this.attempts.stopping;
    const follows = goesOn ? [await this.untilAvailable(run, () => this.nextEvent(kind, run, state, true))] : [];
    const after = await this.append(kind, run, [
      stepEnded(run, { resumeAt: waits ? resumeAt : null, note }),
      ...follows,
    ]);
    if (after !== undefined) await this.states.destroy(kind.category, run, [run.state]);
    if (after?.status === 'queued') throw new Stopping();
    return after?.status === 'running' ? after : undefined;
  }

  private async failed(
    kind: AnyStepKind,
    run: StepRun,
    failure: Extract<StepOutcome<object>, { done: false }>,
  ): Promise<undefined> {
    const { error, limited, note } = failure;
    const resumeAt = nextAttemptAt(stepOf(run), failure, kind.attempts, this.clock.now());
    const ended = stepEnded(run, { error, resumeAt, limited, note });
    await this.append(kind, run, resumeAt === null ? [ended, runEnded(run, error)] : [ended]);
  }

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

  private async append(kind: AnyStepKind, run: StepRun, events: readonly StepRunEvent[]): Promise<StepRun | undefined> {
    const after = await this.untilAvailable(run, () => this.journal.append(kind.category, run, events));
    if (after === undefined || !isOver(after)) return after;
    const needless = [run.state, run.claim].filter((state) => !(kind.storesState && state === after.state));
    await this.states.destroy(kind.category, run, needless);
    return undefined;
  }

  /** This process must not give up, because it has claimed the run, and no other process would continue it. */
  private untilAvailable<Result>(run: StepRun, work: () => Promise<Result>): Promise<Result> {
    return this.attempts.untilAvailable(work, `Run ${run.id}`);
  }
}
