import { Injectable } from '@nestjs/common';
import { refuse } from '../../kernel/refusal.js';
import { runEnded } from './step-entries.js';
import { StepJournal, type StepRunOrigin } from './step-journal.js';
import type { AnyStepKind, StepKind, StepRunRequest } from './step-kind.js';
import { isOver, type StepRun, type StepRunEvent } from './step-run.record.js';
import { StepStates } from './step-states.js';

const tries = 20;

/** Begins runs of several steps, ends them from outside, and looks into them. */
@Injectable()
export class StepRuns {
  constructor(
    private readonly journal: StepJournal,
    private readonly states: StepStates,
  ) {}

  /**
   * Durable when it resolves; a worker has it soon. Accepted again under the same id it is the same run, also after it
   * ended. Whether whoever asks may start it was judged before.
   * @throws EventStoreUnavailable, VaultUnavailable
   */
  async accept<State extends object>(kind: StepKind<State>, request: StepRunRequest<State>): Promise<void> {
    const origin = originOf(request);
    if ((await this.journal.read(kind.category, origin.workspaceId, origin.id)) !== undefined) return;
    await this.states.seal(kind.category, origin, 0, { state: request.state });
    await this.journal.begin(kind.category, origin, [accepted(request)]);
  }

  /** A run that is over with its acceptance, e.g. because its target is inactive. Nothing of it is done. */
  async refuse(kind: AnyStepKind, request: Omit<StepRunRequest<object>, 'state'>, error: string): Promise<void> {
    const { runId, target } = request;
    const ended = { type: 'StepRunEnded', data: { runId, target, error, note: {} } } as const;
    await this.journal.begin(kind.category, originOf(request), [accepted(request), ended]);
  }

  /**
   * Ends a run wherever it is. A step that is being done may still have its effect, but nothing follows from it. One
   * that is over stays as it is. @throws EventStoreUnavailable
   */
  async stop(kind: AnyStepKind, workspaceId: string, runId: string, error: string): Promise<void> {
    for (let attempt = 0; attempt < tries; attempt++) {
      const run = await this.journal.read(kind.category, workspaceId, runId);
      if (run === undefined || isOver(run)) return;
      const ended = await this.journal.append(kind.category, run, [runEnded(run, error)]);
      if (ended === undefined) continue;
      if (!kind.keepsState) await this.states.destroy(kind.category, run, [run.state, run.claim]);
      return;
    }
    refuse('too-much-contention');
  }

  /** As its journal tells it; lists are made of the read model. @throws EventStoreUnavailable */
  find(kind: AnyStepKind, workspaceId: string, runId: string): Promise<StepRun | undefined> {
    return this.journal.read(kind.category, workspaceId, runId);
  }

  /** Undefined when there is no such run. @throws EventStoreUnavailable */
  async isGoing(kind: AnyStepKind, workspaceId: string, runId: string): Promise<boolean | undefined> {
    const run = await this.find(kind, workspaceId, runId);
    return run && !isOver(run);
  }

  /** What the run's last step left, as long as it is kept. @throws VaultUnavailable */
  async state<State extends object>(kind: StepKind<State>, run: StepRun): Promise<State | undefined> {
    return (await this.states.open(kind.category, run, run.state))?.state as State | undefined;
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
