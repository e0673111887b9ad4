import { Injectable } from '@nestjs/common';
import { functionActor } from '../../../kernel/actors/members-behind.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { Ids } from '../../../ports/ids.port.js';
import { type CallingRun, type Capability, CapabilityRefused } from '../../../ports/sandbox.port.js';
import type { RunRequest } from '../run/function-runs.api.js';
import { CallableFunctions } from './callable-functions.api.js';
import { CalledRuns } from './called-runs.js';
import type { CapabilityMaker, RunScope } from './capability-table.api.js';

/**
 * `ctx.functions.run(nameOrId, params)`: runs another function of the workspace and resolves to its result. The called
 * function must list this one in accessRules.runBy.functions (Automations API, Rules 4 and 5).
 */
@Injectable()
export class FunctionsRun implements CapabilityMaker {
  readonly usage =
    'ctx.functions.run(nameOrId, params): runs another function of the workspace and resolves to its result; rejects when that one does not let this one start it, or fails.';

  constructor(
    private readonly functions: CallableFunctions,
    private readonly called: CalledRuns,
    private readonly ids: Ids,
  ) {}

  make(scope: RunScope): Capability {
    return { name: 'functions.run', call: (args, caller) => this.run(scope, args, caller) };
  }

  private async run(scope: RunScope, args: readonly Json[], caller: CallingRun): Promise<Json> {
    const { request } = scope;
    const { id, name } = scope.function;
    const [nameOrId, params = {}] = args;
    if (typeof nameOrId !== 'string')
      throw new CapabilityRefused(
        'ctx.functions.run takes the name or id of a function, and params.',
        'invalid-input',
        400,
      );
    if (!isObject(params))
      throw new CapabilityRefused('The params of ctx.functions.run have to be an object.', 'invalid-input', 400);
    const starter = { kind: 'function', id, name, behind: request.starter } as const;
    const functionId = await this.functions.startable(request.workspaceId, nameOrId, starter);
    const called: RunRequest = {
      ...request,
      functionId,
      runId: this.ids.newId('run'),
      params,
      source: 'method',
      starter,
      actor: functionActor({ id, name }, request.actor),
      causationId: request.runId,
      depth: request.depth + 1,
      // These belong to the caller's run and are not passed on.
      replayOf: null,
      pinnedVersion: null,
    };
    return this.called.resultOf(called, caller);
  }
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
