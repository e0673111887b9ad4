import { Injectable } from '@nestjs/common';
import { mustReachFunction } from '../../../../engine/authorisation/authorisation.js';
import type { OperationContext } from '../../../../engine/operation/operation-context.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import { ownedBy, ownerOf } from '../../../../kernel/callers/function-owner.js';
import type { RunSource, Starter } from '../../../../kernel/callers/starter.js';
import type { Json, JsonObject } from '../../../../kernel/json/json.js';
import type { Refusal } from '../../../../kernel/refusals/refusal.js';
import type { LogLine } from '../../../../ports/offloaded/sandbox.port.js';
import { settingsOf } from '../../../workspace/workspace/workspace-settings.api.js';
import type { FunctionDocument } from '../../function/function.record.js';
import { asDraft, mayTryDraft } from '../../function/versions/function-draft.api.js';
import { refuse } from '../../functions.refusals.js';
import { FunctionRuns } from '../function-runs.api.js';
import type { RunRequest } from '../run-request.api.js';

export interface FunctionInvocation {
  readonly result: Json;
  readonly runId: string;
  readonly durationMs: number;
  readonly logs?: readonly LogLine[];
}

/** A repeated call with the same idempotency key does not run the function again. */
@Injectable()
export class Invocations {
  constructor(
    private readonly runs: FunctionRuns,
    private readonly reads: Reads,
  ) {}

  /**
   * @param draftId the open draft to run instead of the live version
   * @throws Refusal function-failed, with the function's own error message; the refusals of FunctionRuns.run; a refusal
   * of a data function, as the outcome of its run
   */
  async run(
    call: OperationContext,
    fn: FunctionDocument,
    starter: Starter,
    params: JsonObject,
    draftId?: string,
  ): Promise<FunctionInvocation> {
    const { workspaceId } = call;
    mustReachFunction(fn, call.caller);
    const settings = await settingsOf(this.reads, workspaceId);
    if (draftId !== undefined) {
      mayTryDraft(call.caller, settings);
      asDraft(fn, draftId, settings);
    }
    const runId = call.newId('run');
    if (call.repeatable) await this.refuseSecondRun(workspaceId, runId);
    const request: RunRequest = {
      workspaceId,
      ...ownedBy(ownerOf(fn)),
      functionId: fn.id,
      runId,
      params,
      source: sourceOf(starter),
      starter,
      actor: call.actor,
      correlationId: call.correlationId,
      causationId: call.causationId,
      depth: 0,
      eventDepth: call.eventDepth ?? 0,
      neverDeletes: call.caller?.neverDeletes,
      draftId,
    };
    const report = await this.runs.run(request, { found: fn, stop: call.stop, repeatable: call.repeatable });
    const logs = settings.functionLogs ? { logs: report.logs } : {};
    if (!report.ok) {
      const { error, refusal } = report;
      if (refusal !== undefined && !(call.repeatable && asksToRepeat(refusal))) throw refusal.afterEffect('all');
      return refuse('function-failed', { error }, { details: { runId, ...logs } });
    }
    const { result, durationMs } = report;
    return { result, runId, durationMs, ...logs };
  }

  private async refuseSecondRun(workspaceId: string, runId: string): Promise<void> {
    const run = await this.runs.find(workspaceId, runId);
    if (run === undefined) return;
    if (!run.ended) refuse('idempotency-key-in-progress', undefined, { retryAfterSeconds: 5 });
    const error = run.error ?? 'The run ended, but its result was lost when the service stopped.';
    refuse('function-failed', { error }, { details: { runId } });
  }
}

/** The run is recorded, so a repetition with the same idempotency key does not run the function again. */
const asksToRepeat = ({ kind }: Refusal) => kind === 'unavailable' || kind === 'limited';

const sourceOf = ({ kind }: Starter): RunSource => (kind === 'agent' ? 'agent' : 'manual');
