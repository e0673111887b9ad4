import { Injectable } from '@nestjs/common';
import { ProcessName } from '../../../../engine/cluster/process-name.js';
import { Calls, systemActor } from '../../../../engine/operation/calls.js';
import { RecordingQuota } from '../../../../engine/quotas/recording-quota.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import { Ids } from '../../../../ports/ids.port.js';
import { Sandbox, type SandboxOutcome } from '../../../../ports/offloaded/sandbox.port.js';
import type {
  AccessFunction,
  AccessFunctions,
  AccessQuestion,
  QuestionSubject,
} from '../../../access/judging/access-judge.api.js';
import { CtxTable } from '../../ctx/ctx-table.api.js';
import { type FunctionDocument, versionOf } from '../../function/function.record.js';
import { shownOutcome } from '../outcome/shown-outcome.js';
import { userForCode } from '../params-for-code.js';
import { isolateKeyOf, programOf, RunContext } from '../run-context.js';
import { RunEnds } from '../run-ends.js';
import { runFacts } from '../run-record.js';
import type { RunRequest } from '../run-request.api.js';

type Site = Pick<AccessQuestion, 'workspaceId' | 'projectId'>;

const late = 'As an access rule, the function must answer within two seconds, and it did not.';
const neither = 'As an access rule, the function must return true or false, and it returned something else.';

@Injectable()
export class SiteAccessRuns implements AccessFunctions {
  constructor(
    private readonly reads: Reads,
    private readonly context: RunContext,
    private readonly sandbox: Sandbox,
    private readonly ctx: CtxTable,
    private readonly ends: RunEnds,
    private readonly calls: Calls,
    private readonly ids: Ids,
    private readonly process: ProcessName,
    private readonly quota: RecordingQuota,
  ) {}

  async find(workspaceId: string, projectId: string, ids: readonly string[]): Promise<readonly AccessFunction[]> {
    const found = await this.reads.find<FunctionDocument>(workspaceId, 'siteFunctions', {
      where: { projectId, id: { in: ids } },
    });
    // Data functions return rows instead of a decision, so they cannot judge access.
    return found
      .filter(({ definition }) => definition === undefined)
      .map((fn) => {
        const { id, name, isActive, accessRules } = fn;
        return { id, name, isActive, version: versionOf(fn), execute: accessRules.execute };
      });
  }

  /**
   * Runs the function once, for the owner. Resolves to its result if that is true or false, otherwise to `failed`. Only
   * failed runs are recorded (Sites API, Run record), and only while the quota of the site's visitors has room. Errors
   * of the code do not reject the promise.
   */
  async evaluate(
    site: Site,
    functionId: string,
    about: QuestionSubject,
    ended: AbortSignal,
  ): Promise<boolean | 'failed'> {
    const request = this.requestOf(site, functionId, about);
    const fn = await this.context.find(request);
    if (fn === undefined) return 'failed';
    const outcome = await this.run(fn, request, ended);
    if (outcome.ok && typeof outcome.result === 'boolean') return outcome.result;
    const error = ended.aborted ? late : outcome.ok ? neither : outcome.error;
    const quotaOf = { workspaceId: site.workspaceId, visitedSite: site.projectId };
    if (!(await this.quota.hasRoom(quotaOf, 'runs'))) return 'failed';
    const facts = { ...runFacts(request, fn), attempt: 1, process: this.process.value, accepted: false };
    await this.ends.endUnrun(request, { type: 'RunStarted', data: facts }, error);
    return 'failed';
  }

  /** The request has no `visitor`, so that the run acts for the owner and not for the person who requests access. */
  private requestOf(
    { workspaceId, projectId }: Site,
    functionId: string,
    { person, resource }: QuestionSubject,
  ): RunRequest {
    const actor = systemActor('access-rules');
    const { correlationId } = this.calls.once(workspaceId, actor, 'site/accessRule');
    return {
      workspaceId,
      projectId,
      functionId,
      runId: this.ids.newId('run'),
      params: { user: userForCode(person), resource: { ...resource } },
      source: 'gate',
      starter: { kind: 'visitor', id: projectId, pageId: null },
      actor,
      correlationId,
      causationId: null,
      depth: 0,
    };
  }

  private async run(fn: FunctionDocument, request: RunRequest, ended: AbortSignal): Promise<SandboxOutcome> {
    const { secrets, mostCalls, facts, program } = await this.context.around(request, fn);
    return shownOutcome(
      secrets.hiding,
      await this.sandbox.run({
        isolateKey: isolateKeyOf(request, fn),
        byVisitors: true,
        program: programOf(fn.id, program),
        params: request.params,
        context: {
          ...facts,
          secrets: { seal: secrets.seal },
          limits: { databaseCalls: { max: mostCalls, used: 0 } },
        },
        capabilities: this.ctx.capabilitiesFor({ request, function: fn, secrets, mostCalls }),
        timeoutMs: fn.timeout,
        captureLogs: false,
        calledBy: { depth: 0, ended },
      }),
    );
  }
}
