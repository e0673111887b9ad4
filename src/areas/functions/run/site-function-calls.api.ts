import { Injectable } from '@nestjs/common';
import { Calls } from '../../../engine/calls.js';
import { ownedBy, ownerOf } from '../../../kernel/function-owner.js';
import type { JsonObject } from '../../../kernel/json.js';
import { visitorActor } from '../../../kernel/visitor-actor.js';
import { Ids } from '../../../ports/ids.port.js';
import type { AccountFunction } from '../function/function.record.js';
import { FunctionRuns, type RunReport, type Visitor } from './function-runs.api.js';
import { StartableFunctions } from './startable-functions.js';
import { toldToVisitors } from './told-to-visitors.js';
import { VisitorRules } from './visitor-rules.api.js';

/** A visitor of a site who calls a function. */
export interface VisitorCall {
  readonly workspaceId: string;
  readonly projectId: string;
  /** Of a function of the workspace, also its id. */
  readonly functionName: string;
  readonly params: JsonObject;
  readonly visitor: Visitor;
  /** The page that calls, as far as it is known. */
  readonly pageId: string | null;
}

type Start = ReturnType<typeof startOf>;

/**
 * Runs functions of a site, and those of its workspace that serve it, for the visitors of the site. Nobody is let in who
 * is not let in by the function's own rules.
 */
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
  async call(sent: VisitorCall): Promise<RunReport> {
    const start = startOf(sent);
    const fn = await this.functions.ofSite(sent.workspaceId, sent.projectId, sent.functionName, start.starter);
    return this.run(sent, fn, start);
  }

  /**
   * A function of the workspace: one that pages may start, that admits this visitor, and that was granted the site
   * (Automations API, rule 10). @throws Refusal as `call`, function-not-found, site-not-served
   */
  async callOfWorkspace(sent: VisitorCall): Promise<RunReport> {
    const start = startOf(sent);
    const fn = await this.functions.find(sent.workspaceId, sent.functionName, start.starter);
    this.rules.mustServe(fn, start.visitor);
    return this.run(sent, fn, start);
  }

  private async run({ workspaceId, params }: VisitorCall, fn: AccountFunction, start: Start): Promise<RunReport> {
    await this.rules.mustExecute(fn, start.visitor);
    const { correlationId, causationId } = this.calls.once(workspaceId, start.actor, 'site/callFunction');
    const report = await this.runs.run({
      workspaceId,
      ...ownedBy(ownerOf(fn)),
      functionId: fn.id,
      runId: this.ids.newId('run'),
      params,
      source: 'page',
      ...start,
      correlationId,
      causationId,
      depth: 0,
    });
    return toldToVisitors(report);
  }
}

function startOf({ projectId, visitor, pageId }: VisitorCall) {
  const { person } = visitor;
  const starter =
    person === undefined
      ? ({ kind: 'visitor', id: projectId, pageId } as const)
      : ({ kind: 'user', id: person.id, projectId, pageId } as const);
  return { starter, actor: visitorActor(starter), visitor: { ...visitor, projectId } };
}
