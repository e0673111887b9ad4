import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { StepInHand, StepKind, StepOutcome } from '../../../engine/step-work/step-kind.js';
import { StepKinds } from '../../../engine/step-work/step-kinds.js';
import type { StepRun } from '../../../engine/step-work/step-run.record.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { TemplateTooLarge, TemplateWithoutValue } from '../../../kernel/json/template.js';
import { Clock } from '../../../ports/clock.port.js';
import { CapabilityRefused } from '../../../ports/offloaded/sandbox.port.js';
import { RowOfEvent } from '../../bases/row/row-of-event.api.js';
import { type Flow, flows } from '../flow/flow.record.js';
import { afterCondition, type FlowState, flowStepAt, nextFlowStep, valuesOf, withOutput } from './flow-state.js';
import { HttpRequestStep } from './http-request-step.js';
import { RaiseEventStep } from './raise-event-step.js';
import { RunFunctionStep } from './run-function-step.js';
import { SendMailStep } from './send-mail-step.js';
import { type FlowStepInHand, type StepDone, UnfitValue } from './step-doer.js';
import { waitUntil } from './wait-until.js';

export const flowDeleted = 'The flow was deleted while this run was going.';
/**
 * Maximum number of characters that are filled into the templates of a step. It is twice the limit of a run's outputs,
 * so that all outputs fit.
 */
const mostFilled = 8 * 1024 * 1024;
const tooMuch = "The outputs of this run's steps exceed 4 MB, the most that a run may store.";

@Injectable()
export class FlowRuns implements StepKind<FlowState> {
  readonly category = 'flowRun';
  readonly collection = 'flowRuns';
  readonly topic = 'flow-steps';
  readonly concurrency = 64;
  readonly attempts = 3;
  readonly storesState = false;
  readonly next = nextFlowStep;

  constructor(
    private readonly reads: Reads,
    private readonly runner: CommandRunner,
    private readonly functions: RunFunctionStep,
    private readonly events: RaiseEventStep,
    private readonly mails: SendMailStep,
    private readonly requests: HttpRequestStep,
    private readonly rows: RowOfEvent,
    private readonly clock: Clock,
    kinds: StepKinds,
  ) {
    kinds.register(this);
  }

  /** The read model can lag behind the log, so a new flow can be missing from it. The flow's stream is then read. */
  async flowOf(workspaceId: string, id: string): Promise<Flow | undefined> {
    return (await this.reads.get<Flow>(workspaceId, 'flows', id)) ?? this.runner.find(flows, workspaceId, id);
  }

  async blockedReason({ workspaceId, targetId }: StepRun): Promise<string | undefined> {
    return (await this.flowOf(workspaceId, targetId)) === undefined ? flowDeleted : undefined;
  }

  async perform(inHand: StepInHand<FlowState>): Promise<StepOutcome<FlowState>> {
    const { run, state } = inHand;
    const flow = await this.flowOf(run.workspaceId, run.targetId);
    if (flow === undefined) return { done: false, error: flowDeleted, final: true };
    const actor = { kind: 'flow', id: flow.id, name: flow.name } as const;
    const input = await this.rows.added(run, state.input);
    const filling = { values: valuesOf(state, input, run.id), room: { left: mostFilled } };
    try {
      return await this.outcome({ inHand, flow, actor, filling });
    } catch (error) {
      const isTheRuns = [TemplateWithoutValue, TemplateTooLarge, UnfitValue, CapabilityRefused].some(
        (kind) => error instanceof kind,
      );
      if (isTheRuns) return { done: false, error: (error as Error).message, final: true };
      throw error;
    }
  }

  private async outcome(step: FlowStepInHand): Promise<StepOutcome<FlowState>> {
    const { state } = step.inHand;
    const { kind, settings } = flowStepAt(state);
    switch (kind) {
      case 'condition': {
        const after = afterCondition(state, settings, step.filling.values);
        return { done: true, state: after, note: after.outputs[flowStepAt(state).id] as JsonObject };
      }
      case 'wait': {
        const resumeAt = waitUntil(settings, step.filling, this.clock.now());
        const after = outcomeAfter(state, { output: {} });
        return after.done ? { ...after, resumeAt } : after;
      }
      case 'run_function':
        return outcomeAfter(state, await this.functions.do(settings, step));
      case 'raise_event':
        return outcomeAfter(state, await this.events.do(settings, step));
      case 'send_mail':
        return outcomeAfter(state, await this.mails.do(settings, step));
      case 'http_request':
        return outcomeAfter(state, await this.requests.do(settings, step));
    }
  }
}

function outcomeAfter(state: FlowState, done: StepDone): StepOutcome<FlowState> {
  const note = done.note === undefined ? {} : { note: done.note };
  if ('error' in done) return { done: false, error: done.error, final: done.final, ...note };
  const after = withOutput(state, done.output);
  return after === undefined ? { done: false, error: tooMuch, final: true } : { done: true, state: after, ...note };
}
