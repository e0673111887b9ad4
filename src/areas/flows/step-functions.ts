import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../engine/operation/operation-context.js';
import { Starters } from '../../engine/scopes/starters.js';
import { refuseInput } from '../../kernel/field/refuse-input.js';
import { type StartableFunction, StartableFunctions } from '../functions/run/startable-functions.api.js';
import type { FlowStep } from './flow/flow.record.js';

/**
 * The flow runs the functions for the people who saved and activated it, so these people must be allowed to start them.
 * Stored steps refer to functions by id, so that a function can be renamed.
 */
@Injectable()
export class StepFunctions {
  constructor(
    private readonly functions: StartableFunctions,
    private readonly starters: Starters,
  ) {}

  /** @throws Refusal invalid-input, with every step whose function does not exist */
  async settled({ workspaceId }: OperationContext, steps: readonly FlowStep[]): Promise<readonly FlowStep[]> {
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

  /**
   * The returned check refuses if the caller may not start one of the functions, and ignores functions that do not
   * exist.
   */
  async judge(call: OperationContext, steps: readonly FlowStep[]): Promise<() => void> {
    const found = await this.find(call.workspaceId, steps);
    const starter = await this.starters.of(call);
    return () => {
      for (const fn of found) fn?.checkStarter(starter);
    };
  }

  private find(workspaceId: string, steps: readonly FlowStep[]): Promise<readonly (StartableFunction | undefined)[]> {
    return Promise.all(
      steps.map((step) =>
        step.kind === 'run_function' ? this.functions.named(workspaceId, step.settings.function) : undefined,
      ),
    );
  }
}
