import { Injectable } from '@nestjs/common';
import { RecordingQuota } from '../quotas/recording-quota.js';
import { refuse } from '../refusals/engine.refusals.js';
import { runEnded } from './step-entries.js';
import { StepJournal, type StepRunOrigin } from './step-journal.js';
import type { AnyStepKind, StepKind, StepRunRequest } from './step-kind.js';
import { isOver, type StepRun, type StepRunEvent } from './step-run.record.js';
import { StepStates } from './step-states.js';

const tries = 20;

@Injectable()
export class StepRuns {
  constructor(
    private readonly journal: StepJournal,
    private readonly states: StepStates,
    private readonly quota: RecordingQuota,
  ) {}

  /**
   * The acceptance is durable when the promise resolves. If the id was accepted before, nothing happens, even if that
   * run has ended. The caller must have checked that the starter may start the target.
   * @throws Refusal runs-quota, EventStoreUnavailable, VaultUnavailable
   */
  async accept<State extends object>(kind: StepKind<State>, request: StepRunRequest<State>): Promise<void> {
    const origin = originOf(request);
    if (!(await this.isNew(kind.category, origin))) return;
    await this.states.seal(kind.category, origin, 0, { state: request.state });
    await this.journal.begin(kind.category, origin, [accepted(request)]);
  }

  /**
   * Records a run that fails at once, e.g. because its target is inactive. No step is performed. If the id was accepted
   * before, nothing happens.
   * @throws Refusal runs-quota, EventStoreUnavailable
   */
  async refuse(kind: AnyStepKind, request: Omit<StepRunRequest<object>, 'state'>, error: string): Promise<void> {
    const { runId, target } = request;
    const origin = originOf(request);
    if (!(await this.isNew(kind.category, origin))) return;
    const ended = { type: 'StepRunEnded', data: { runId, target, error, note: {} } } as const;
    await this.journal.begin(kind.category, origin, [accepted(request), ended]);
  }

  /**
   * A step in progress can still take effect, but no other step follows. Does nothing if the run has already ended.
   * @throws Refusal too-much-contention, EventStoreUnavailable
   */
  async stop(kind: AnyStepKind, workspaceId: string, runId: string, error: string): Promise<void> {
    for (let attempt = 0; attempt < tries; attempt++) {
      const run = await this.journal.read(kind.category, workspaceId, runId);
      if (run === undefined || isOver(run)) return;
      const ended = await this.journal.append(kind.category, run, [runEnded(run, error)]);
      if (ended === undefined) continue;
      if (!kind.storesState) await this.states.destroy(kind.category, run, [run.state, run.claim]);
      return;
    }
    refuse('too-much-contention');
  }

  /** @throws EventStoreUnavailable */
  find(kind: AnyStepKind, workspaceId: string, runId: string): Promise<StepRun | undefined> {
    return this.journal.read(kind.category, workspaceId, runId);
  }

  /**
   * Returns undefined if there is no such run.
   * @throws EventStoreUnavailable
   */
  async isGoing(kind: AnyStepKind, workspaceId: string, runId: string): Promise<boolean | undefined> {
    const run = await this.find(kind, workspaceId, runId);
    return run && !isOver(run);
  }

  /**
   * Returns the state after the last successful step, or the initial state before that. Returns undefined if the state
   * is no longer retained.
   * @throws VaultUnavailable
   */
  async state<State extends object>(kind: StepKind<State>, run: StepRun): Promise<State | undefined> {
    return (await this.states.open(kind.category, run, run.state))?.state as State | undefined;
  }

  /** Only new runs are refused if the quota is used up. */
  private async isNew(category: string, { workspaceId, id }: StepRunOrigin): Promise<boolean> {
    if ((await this.journal.read(category, workspaceId, id)) !== undefined) return false;
    await this.quota.mustHaveRoom({ workspaceId }, 'runs');
    return true;
  }
}

function originOf(request: Omit<StepRunRequest<object>, 'state'>): StepRunOrigin {
  const { workspaceId, runId, actor, correlationId, causationId } = request;
  return { workspaceId, id: runId, actor, correlationId, causationId };
}

function accepted(request: Omit<StepRunRequest<object>, 'state'>): StepRunEvent {
  const { target, source, starter, eventDepth, note = {} } = request;
  const narrowed = request.neverDeletes ? ({ neverDeletes: true } as const) : {};
  return { type: 'StepRunAccepted', data: { target, source, starter, eventDepth, note, ...narrowed } };
}
