import { Injectable } from '@nestjs/common';
import { PowerDecisions } from '../../../../engine/explain/power-decisions.js';
import { actorOf, Calls } from '../../../../engine/operation/calls.js';
import { Starters } from '../../../../engine/scopes/starters.js';
import { startRefusal } from '../../../../kernel/actors/run-by.js';
import { visitorActor } from '../../../../kernel/actors/visitor-actor.js';
import { type Owned, ownedBy, ownerOf } from '../../../../kernel/callers/function-owner.js';
import type { Starter } from '../../../../kernel/callers/starter.js';
import type { Actor } from '../../../../kernel/event/event.js';
import type { JsonObject } from '../../../../kernel/json/json.js';
import { type Refusal } from '../../../../kernel/refusals/refusal.js';
import { Ids } from '../../../../ports/ids.port.js';
import type { Visitor } from '../../../access/judging/visitor.api.js';
import type { FunctionDocument } from '../../function/function.record.js';
import { refusalOf } from '../../functions.refusals.js';
import { FunctionRuns } from '../function-runs.api.js';
import { mustRun } from '../run.js';
import type { RunReport, RunRequest } from '../run-request.api.js';
import { StartableFunctions } from '../startable-functions.api.js';
import { visitorReport } from './visitor-outcome.js';
import { VisitorRules } from './visitor-rules.api.js';

export interface VisitorCall {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly functionName: string;
  readonly params: JsonObject;
  readonly visitor: Visitor;
  readonly pageId: string | null;
}

interface Start {
  readonly starter: Starter;
  readonly actor: Actor;
  /** If omitted, the function runs for the owner. */
  readonly visitor?: Visitor;
}

/** The function's `execute` rule must admit the visitor, unless the visitor is a member of the workspace. */
@Injectable()
export class SiteFunctionCalls {
  constructor(
    private readonly functions: StartableFunctions,
    private readonly rules: VisitorRules,
    private readonly runs: FunctionRuns,
    private readonly calls: Calls,
    private readonly ids: Ids,
    private readonly decisions: PowerDecisions,
    private readonly starters: Starters,
  ) {}

  /**
   * @throws Refusal execute-refused, no-access-rules, target-inactive, params-invalid; for members also
   * site-function-not-found, run-not-allowed
   */
  async call(sent: VisitorCall): Promise<RunReport> {
    const { workspaceId, projectId, functionName } = sent;
    const start = await this.startOf(sent);
    const fn = await this.functions.lookUpOfSite(workspaceId, projectId, functionName);
    const found =
      fn === undefined ? { fn, closed: refusalOf('site-function-not-found') } : { fn, closed: notStartable(fn, start) };
    return this.run(sent, await this.admitted(sent, start, { ...found, owned: { projectId } }), start);
  }

  /**
   * Pages must be allowed to start the workspace function, its execute rule must admit this visitor, and the function
   * must have been granted the site (Automations API, rule 10).
   * @throws Refusal execute-refused, no-access-rules, target-inactive, params-invalid; for members also
   * function-not-found, run-not-allowed, site-not-served
   */
  async callOfWorkspace(sent: VisitorCall): Promise<RunReport> {
    const { workspaceId, projectId, functionName } = sent;
    const start = await this.startOf(sent);
    const fn = await this.functions.lookUp(workspaceId, functionName);
    const found =
      fn === undefined
        ? { fn, closed: refusalOf('function-not-found') }
        : { fn, closed: notStartable(fn, start) ?? notServed(fn, projectId) };
    return this.run(sent, await this.admitted(sent, start, { ...found, owned: {} }), start);
  }

  /**
   * Visitors must not be able to probe for functions. If a function does not exist or visitors cannot start it, the
   * call is refused as if its execute rule denied the visitor. The same rules and policies are evaluated first.
   * Members get the actual reason, and the owner can look it up by the decision id.
   */
  private async admitted(
    sent: VisitorCall,
    { starter, ...start }: Start,
    found: FoundFunction,
  ): Promise<FunctionDocument> {
    const { workspaceId, functionName: name } = sent;
    const { visitor = sent.visitor } = start;
    const { fn, closed, owned } = found;
    if (closed !== undefined && visitor.member !== undefined) throw closed;
    if (closed !== undefined) {
      const nothing = { workspaceId, ...owned, id: fn?.id ?? '', name, accessRules: { execute: null, runBy: null } };
      await this.rules.denied(nothing, visitor);
      const member = `${owned.projectId === undefined ? 'account-functions' : 'functions'}/${name}`;
      const about = {
        code: closed.code,
        sentence: closed.message,
        member,
        visitor: whoIs(sent),
      };
      const decisionId = this.decisions.idOf({ workspaceId, function: nothing, ...about });
      throw refusalOf('execute-refused', { name }, { decisionId });
    }
    const denied = await this.rules.denied(fn, visitor);
    // A visitor can also call a workspace function by its id. The error message repeats what the visitor sent, so it
    // does not reveal the function's name.
    if (denied !== undefined) throw refusalOf(denied.code, { name }, { decisionId: denied.decisionId });
    mustRun(fn, starter);
    return fn;
  }

  private async startOf({ workspaceId, projectId, visitor, pageId }: VisitorCall): Promise<Start> {
    const { person, member } = visitor;
    if (member !== undefined) {
      const actor = actorOf(member);
      return { starter: await this.starters.of({ workspaceId, actor, caller: member }), actor };
    }
    const starter =
      person === undefined
        ? ({ kind: 'visitor', id: projectId, pageId } as const)
        : ({ kind: 'user', id: person.id, projectId, pageId } as const);
    return { starter, actor: visitorActor(starter), visitor: { ...visitor, projectId } };
  }

  private async run(
    { workspaceId, projectId: pageSite, params, visitor }: VisitorCall,
    fn: FunctionDocument,
    start: Start,
  ): Promise<RunReport> {
    const { correlationId, causationId } = this.calls.once(workspaceId, start.actor, 'site/callFunction');
    const request: RunRequest = {
      workspaceId,
      ...ownedBy(ownerOf(fn)),
      functionId: fn.id,
      runId: this.ids.newId('run'),
      params,
      source: 'page',
      pageSite,
      ...start,
      correlationId,
      causationId,
      depth: 0,
      neverDeletes: visitor.member?.neverDeletes,
    };
    const report = await this.runs.run(request, { found: fn });
    return visitorReport(report);
  }
}

type FoundFunction = { readonly owned: Owned } & (
  | { readonly fn: FunctionDocument; readonly closed: undefined }
  | { readonly fn: FunctionDocument | undefined; readonly closed: Refusal }
);

function whoIs({ projectId, visitor: { person } }: VisitorCall) {
  return person === undefined
    ? ({ kind: 'visitor', id: projectId } as const)
    : ({ kind: 'user', id: person.id } as const);
}

function notStartable(fn: FunctionDocument, { starter }: Start): Refusal | undefined {
  const who = startRefusal(fn, starter);
  return who === undefined ? undefined : refusalOf('run-not-allowed', { name: fn.name, who });
}

function notServed({ name, grants }: FunctionDocument, projectId: string): Refusal | undefined {
  const isServed = grants.bases.some((granted) => granted.projectId === projectId);
  return isServed ? undefined : refusalOf('site-not-served', { name });
}
