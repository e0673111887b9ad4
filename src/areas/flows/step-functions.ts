import { Injectable } from '@nestjs/common';
import type { Call } from '../../engine/operation/call.js';
import { refuseInput } from '../../engine/operation/validation.js';
import { Starters } from '../../ports/starters.port.js';
import { CallableFunctions, type NamedFunction } from '../functions/capabilities/callable-functions.api.js';
import type { FlowStep } from './flow/flow.record.js';

/**
 * The functions that a flow's steps run. A flow starts them for whoever saved or activated it, so these have to be people
 * who may start them; and it keeps their ids, so that it runs the same functions whatever they or others are called later.
 */
@Injectable()
export class StepFunctions {
  constructor(
    private readonly functions: CallableFunctions,
    private readonly starters: Starters,
  ) {}

  /** The steps with functions by their ids. @throws Refusal invalid-input naming every step whose function is not there */
  async settled({ workspaceId }: Call, steps: readonly FlowStep[]): Promise<readonly FlowStep[]> {
    const found = await this.find(workspaceId, steps);
    const wrong = steps.flatMap((step, at) =>
      step.kind === 'run_function' && found[at] === undefined
        ? [{ path: `steps[${at}].settings.function`, message: 'is neither the id nor the name of a function' }]
        : [],
    );
    if (wrong.length > 0) refuseInput(wrong);
    return steps.map((step, at) => {
      const fn = found[at];
      if (step.kind !== 'run_function' || fn === undefined) return step;
      return { ...step, settings: { ...step.settings, function: fn.id } };
    });
  }

  /** Refuses, once it is called, whoever may not start one of them. */
  async judge(call: Call, steps: readonly FlowStep[]): Promise<() => void> {
    const found = await this.find(call.workspaceId, steps);
    const starter = await this.starters.of(call);
    return () => {
      for (const fn of found) fn?.checkStarter(starter);
    };
  }

  private find(workspaceId: string, steps: readonly FlowStep[]): Promise<readonly (NamedFunction | undefined)[]> {
    return Promise.all(
      steps.map((step) =>
        step.kind === 'run_function' ? this.functions.named(workspaceId, step.settings.function) : undefined,
      ),
    );
  }
}
