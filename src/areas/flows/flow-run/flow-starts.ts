import { Injectable } from '@nestjs/common';
import type { StepRunRequest } from '../../../engine/step-work/step-kind.js';
import { StepRuns } from '../../../engine/step-work/step-runs.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import type { Flow } from '../flow/flow.record.js';
import { FlowRuns } from './flow-runs.js';
import { type FlowState, flowBeginning } from './flow-state.js';

type Start = Omit<StepRunRequest<FlowState>, 'target' | 'state' | 'note'> & { readonly input: JsonObject };

@Injectable()
export class FlowStarts {
  constructor(
    private readonly kind: FlowRuns,
    private readonly runs: StepRuns,
  ) {}

  async accept(flow: Flow, { input, ...start }: Start): Promise<void> {
    const target = { id: flow.id, name: flow.name };
    await this.runs.accept(this.kind, { ...start, target, state: flowBeginning(flow.steps, input) });
  }

  /** Records a failed run, because a trigger has no caller who could receive a refusal. */
  async refuse(flow: Flow, { input: _, ...start }: Start): Promise<void> {
    const target = { id: flow.id, name: flow.name };
    const error = `The flow '${flow.name}' was not run: target is INACTIVE.`;
    await this.runs.refuse(this.kind, { ...start, target }, error);
  }
}
