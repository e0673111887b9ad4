import { Injectable } from '@nestjs/common';
import { Calls } from '../../../engine/calls.js';
import type { JsonObject } from '../../../kernel/json.js';
import { Ids } from '../../../ports/ids.port.js';
import { FunctionRuns, type RunReport, type Visitor } from './function-runs.api.js';
import { visitorActor } from './run-record.js';
import { StartableFunctions } from './startable-functions.js';
import { VisitorRules } from './visitor-rules.api.js';

/** A visitor of a site who calls one of its functions. */
export interface VisitorCall {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly functionName: string;
  readonly params: JsonObject;
  readonly visitor: Visitor;
  /** The page that calls, as far as it is known. */
  readonly pageId: string | null;
}

/** Runs the functions of a site for its visitors. Nobody is let in who is not let in by the function's own rules. */
@Injectable()
export class SiteFunctionCalls {
  constructor(
    private readonly functions: StartableFunctions,
    private readonly rules: VisitorRules,
    private readonly runs: FunctionRuns,
    private readonly calls: Calls,
    private readonly ids: Ids,
  ) {}

  /**
   * @throws Refusal site-function-not-found, run-not-allowed, target-inactive, no-access-rules, execute-refused,
   *   params-invalid
   */
  async call({ workspaceId, projectId, functionName, params, visitor, pageId }: VisitorCall): Promise<RunReport> {
    const { person } = visitor;
    const starter =
      person === undefined
        ? ({ kind: 'visitor', id: projectId, pageId } as const)
        : ({ kind: 'user', id: person.id, projectId, pageId } as const);
    const fn = await this.functions.ofSite(workspaceId, projectId, functionName, starter);
    await this.rules.mustExecute(fn, visitor);
    const actor = visitorActor(starter);
    const { correlationId, causationId } = this.calls.once(workspaceId, actor, 'site/callFunction');
    return this.runs.run({
      workspaceId,
      projectId,
      functionId: fn.id,
      runId: this.ids.newId('run'),
      params,
      source: 'page',
      starter,
      actor,
      correlationId,
      causationId,
      depth: 0,
      visitor,
    });
  }
}
