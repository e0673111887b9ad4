import { Injectable } from '@nestjs/common';
import { Clock } from '../../ports/clock.port.js';
import { Leases } from '../../ports/leases.port.js';
import { ProcessName } from '../process-name.js';
import { StepAttempts, Stopping } from './step-attempts.js';
import { firstAttempt, furtherAttempt, released, runEnded, stepEnded, stepOf } from './step-entries.js';
import { StepJournal } from './step-journal.js';
import type { AnyStepKind, StepOutcome } from './step-kind.js';
import { attemptOf, isOver, type StepRun, type StepRunEvent } from './step-run.record.js';
import { type KeptState, StepStates } from './step-states.js';

/** A step whose process is lost is begun so often before it is given up. */
const startsAllowed = 3;

const lost = 'The service stopped while this step was going, again and again.';
const noLongerKept = 'What this run was about is no longer kept, so it was not gone on with.';

/**
 * Goes on with a run, step by step, until it ends or has to wait. A claim is an append to the run's journal where this
 * process saw it stand, so a step is one process's. The outcome is sealed before the end of a step is recorded: whoever
 * comes after a crash in between takes it from there.
 */
@Injectable()
export class StepWorker {
  private readonly inHand = new Set<string>();

  constructor(
    private readonly journal: StepJournal,
    private readonly states: StepStates,
    private readonly attempts: StepAttempts,
    private readonly leases: Leases,
    private readonly process: ProcessName,
    private readonly clock: Clock,
  ) {}

  /** @throws Stopping when it is to be gone on with elsewhere; EventStoreUnavailable, VaultUnavailable before it is claimed */
  async goOn(kind: AnyStepKind, workspaceId: string, runId: string): Promise<void> {
    if (this.inHand.has(runId)) return;
    this.inHand.add(runId);
    try {
      const found = await this.journal.read(kind.category, workspaceId, runId);
      let run = found && (await this.claimed(kind, found));
      while (run !== undefined) run = await this.stepOrRelease(kind, run);
    } finally {
      this.inHand.delete(runId);
    }
  }

  /** The run with a step of this process's to do; undefined when there is nothing to do here now. */
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
        return this.relieved(kind, run);
    }
  }

  private async next(kind: AnyStepKind, run: StepRun): Promise<StepRun | undefined> {
    const kept = await this.states.open(kind.category, run, run.state);
    if (kept === undefined) return this.append(kind, run, [runEnded(run, noLongerKept)]);
    return this.append(kind, run, [await this.whatFollows(kind, run, kept.state)]);
  }

  /**
   * Takes over from a process that is gone; while it lives the step is its own. A step of this process's that it has not
   * in hand was claimed without an answer, and is still to be done.
   */
  private async relieved(kind: AnyStepKind, run: StepRun): Promise<StepRun | undefined> {
    const isOwn = run.process === this.process.value;
    if (!isOwn && (await this.leases.processes()).some(({ name }) => name === run.process)) return undefined;
    const kept = await this.states.open(kind.category, run, run.claim);
    if (kept !== undefined) return this.conclude(kind, run, kept);
    if (isOwn) return run;
    const step = stepOf(run);
    const { number, starts } = attemptOf(step);
    if (starts >= startsAllowed) return this.append(kind, run, [stepEnded(run, lost, null), runEnded(run, lost)]);
    return this.append(kind, run, [furtherAttempt(step, number, this.process.value)]);
  }

  /** Where the process lives on, nobody would take over what it has left. */
  private async stepOrRelease(kind: AnyStepKind, run: StepRun): Promise<StepRun | undefined> {
    try {
      return await this.step(kind, run);
    } catch (error) {
      if (error instanceof Stopping) await this.journal.append(kind.category, run, [released(run)]);
      throw error;
    }
  }

  private async step(kind: AnyStepKind, run: StepRun): Promise<StepRun | undefined> {
    const kept = await this.lasting(run, () => this.states.open(kind.category, run, run.state));
    if (kept === undefined) return this.failed(kind, run, { done: false, error: noLongerKept, final: true });
    const outcome = await this.attempts.make(kind, run, kept.state);
    if (!outcome.done) return this.failed(kind, run, outcome);
    const { state, resumeAt, note } = outcome;
    const made = { state, ...(resumeAt === undefined ? {} : { resumeAt }), ...(note === undefined ? {} : { note }) };
    await this.lasting(run, () => this.states.seal(kind.category, run, run.claim, made));
    return this.conclude(kind, run, made);
  }

  /** The step is done and its outcome sealed: that is recorded, with what follows at once. */
  private async conclude(kind: AnyStepKind, run: StepRun, kept: KeptState<object>): Promise<StepRun | undefined> {
    const { state, resumeAt = 0, note } = kept;
    const waits = resumeAt > this.clock.now();
    const goesOn = !waits && !this.attempts.stopping;
    const follows = goesOn ? [await this.lasting(run, () => this.whatFollows(kind, run, state, true))] : [];
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

  /** The next step, the attempt that comes after a failed one, or the end. `isDone`: the step at hand is, by now. */
  private async whatFollows(kind: AnyStepKind, run: StepRun, state: object, isDone = false): Promise<StepRunEvent> {
    const why = await kind.whyNot?.(run);
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

  /** Where the run was seen; undefined when it ended with this, or when somebody else went on with it first. */
  private async append(kind: AnyStepKind, run: StepRun, events: readonly StepRunEvent[]): Promise<StepRun | undefined> {
    const after = await this.lasting(run, () => this.journal.append(kind.category, run, events));
    if (after === undefined || !isOver(after)) return after;
    // Of a kind whose last state is read afterwards, that one stays; those before it serve nobody.
    const needless = [run.state, run.claim].filter((state) => !(kind.keepsState && state === after.state));
    await this.states.destroy(kind.category, run, needless);
    return undefined;
  }

  /** A claimed run is this process's to go on with, so nobody else would come if it gave up. */
  private lasting<Result>(run: StepRun, work: () => Promise<Result>): Promise<Result> {
    return this.attempts.lasting(work, `Run ${run.id}`);
  }
}
