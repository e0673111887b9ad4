import { functionActor } from '../../../../kernel/actors/members-behind.js';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.js';
import { Ids } from '../../../../ports/ids.port.js';
import { CapabilityRefused } from '../../../../ports/offloaded/sandbox.port.js';
import { visitorAt } from '../../../access/judging/visitor.api.js';
import { ExposedMethods } from '../../run/exposed-methods.api.js';
import { FunctionRuns } from '../../run/function-runs.api.js';
import type { RunRequest } from '../../run/run-request.api.js';
import { StartableFunctions } from '../../run/startable-functions.api.js';
import { type CtxCall, type CtxMember, ctxMember } from '../ctx-member.js';
import { wrongUse } from '../ctx-refusals.js';

const deepestCall = 8;

export const functionMembers: readonly CtxMember[] = [
  /**
   * The called function's accessRules.runBy.functions must be `any` or contain the calling function (Automations API,
   * Rules 4 and 5).
   */
  ctxMember({ functions: StartableFunctions, runs: FunctionRuns, ids: Ids })({
    name: 'functions.run',
    usage:
      '(nameOrId, params): runs another function of the workspace and resolves to its result; rejects if that function may not be started by this one, or fails.',
    owner: 'workspace',
    args: ([nameOrId, params = {}], no) => {
      if (typeof nameOrId !== 'string') return no('takes the name or id of a function, and params');
      if (!isJsonObject(params)) return wrongUse('The params of ctx.functions.run', 'must be an object');
      return { nameOrId, params };
    },
    call: async ({ nameOrId, params }, run) => {
      const { workspaceId } = run.scope.request;
      const fn = await run.functions.find(workspaceId, nameOrId, starterOf(run));
      return resultOf(run, { functionId: fn.id }, params);
    },
  }),
  /**
   * If accessRules.runBy.functions of the called function is a list that is not empty, the list must contain the
   * calling function. If the run acts for a visitor or user of a site, the execute rule must admit this visitor or
   * user.
   */
  ctxMember({ methods: ExposedMethods, runs: FunctionRuns, ids: Ids })({
    name: 'sites.methods.call',
    usage: '(name, params): runs an exposed function of the site and resolves to its result.',
    owner: 'workspace',
    args: ([nameOrId, params = {}]) =>
      typeof nameOrId === 'string' && isJsonObject(params)
        ? { nameOrId, params }
        : wrongUse('methods.call', 'takes the name of a function and an object of params'),
    call: async ({ nameOrId, params }, run) => {
      const { workspaceId, visitor: behind } = run.scope.request;
      const { projectId } = run.site;
      const visitor = behind && visitorAt(behind, projectId);
      const called = { workspaceId, projectId, nameOrId, starter: starterOf(run), visitor };
      const method = await run.methods.callable(called);
      return resultOf(run, { ...method, visitor }, params);
    },
  }),
];

const starterOf = ({ scope: { request, function: fn } }: CtxCall) =>
  ({ kind: 'function', id: fn.id, name: fn.name, behind: request.starter }) as const;

/** @throws Refusal, CapabilityRefused */
async function resultOf(
  run: CtxCall & { readonly runs: FunctionRuns; readonly ids: Ids },
  method: Pick<RunRequest, 'functionId' | 'projectId' | 'visitor'>,
  params: JsonObject,
): Promise<Json> {
  const { request, function: fn } = run.scope;
  if (request.depth >= deepestCall)
    throw new CapabilityRefused(
      `Function calls may be nested at most ${deepestCall} deep, and this call would exceed that.`,
      'too-deep',
      409,
    );
  const called: RunRequest = {
    ...request,
    ...method,
    runId: run.ids.newId('run'),
    params,
    source: 'method',
    starter: starterOf(run),
    actor: functionActor(fn, request.actor),
    causationId: request.runId,
    depth: request.depth + 1,
    // These options of the calling run do not apply to the called function.
    replayOf: null,
    pinnedVersion: null,
    draftId: undefined,
  };
  const report = await run.runs.run(called, { calledBy: run.caller });
  if (!report.ok && report.refusal) throw report.refusal;
  if (!report.ok) throw new CapabilityRefused(report.error, 'function-failed', 422);
  return report.result;
}
