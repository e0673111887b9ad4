import { CommandHandler } from '@nestjs/cqrs';
import { callOf } from '../../../../engine/operation/call.js';
import { Starters } from '../../../../engine/scopes/starters.js';
import { StartableFunctions } from '../startable-functions.api.js';
import { type Invocation, Invocations } from './invocations.js';
import { InvokeBackendFunction, InvokeFunction } from './run.operations.js';

/** Runs a function of the workspace now. */
@CommandHandler(InvokeFunction)
export class InvokeFunctionHandler {
  constructor(
    private readonly functions: StartableFunctions,
    private readonly starters: Starters,
    private readonly invocations: Invocations,
  ) {}

  async execute(input: InvokeFunction): Promise<Omit<Invocation, 'durationMs'>> {
    const call = callOf(input);
    const starter = await this.starters.of(call);
    const fn = await this.functions.find(call.workspaceId, input.id, starter);
    const { durationMs: _, ...answer } = await this.invocations.run(
      call,
      fn,
      starter,
      input.event ?? {},
      input.versionId,
    );
    return answer;
  }
}

/** Runs a function of a site now, as the owner: its execute rule is for visitors and is not asked. */
@CommandHandler(InvokeBackendFunction)
export class InvokeBackendFunctionHandler {
  constructor(
    private readonly functions: StartableFunctions,
    private readonly starters: Starters,
    private readonly invocations: Invocations,
  ) {}

  async execute(input: InvokeBackendFunction): Promise<object> {
    const call = callOf(input);
    const { projectId, functionName, params = {}, versionId } = input;
    const starter = await this.starters.of(call);
    const fn = await this.functions.ofSite(call.workspaceId, projectId, functionName, starter);
    const { result, durationMs, runId, logs } = await this.invocations.run(call, fn, starter, params, versionId);
    return { success: true, data: result, executionTime: durationMs, runId, ...(logs ? { logs } : {}) };
  }
}
