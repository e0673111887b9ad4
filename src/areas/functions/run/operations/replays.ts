import { Injectable } from '@nestjs/common';
import type { OperationContext } from '../../../../engine/operation/operation-context.js';
import { ReplaySwitches } from '../../../../engine/retention/replay-switches.js';
import { Reads } from '../../../../engine/scopes/reads.js';
import { Scopes } from '../../../../engine/scopes/scopes.js';
import { Starters } from '../../../../engine/scopes/starters.js';
import { ownedBy, ownerOf } from '../../../../kernel/callers/function-owner.js';
import { Clock } from '../../../../ports/clock.port.js';
import { settingsOf } from '../../../workspace/workspace/workspace-settings.api.js';
import type { FunctionDocument } from '../../function/function.record.js';
import { FunctionVersionReader } from '../../function/versions/function-version-reader.api.js';
import { refuse } from '../../functions.refusals.js';
import { FunctionRuns } from '../function-runs.api.js';
import type { Run } from '../run.record.js';
import { StartableFunctions } from '../startable-functions.api.js';
import { DeliveredFiles } from '../storage/delivered-files.api.js';
import { RunInputs } from '../storage/run-inputs.api.js';
import { checkReplay, checkVersion } from './replay.js';

/**
 * In a replay, code sees the starter of the original run. The person who requests the replay must be allowed to start
 * the function, and is recorded with the new run.
 */
@Injectable()
export class Replays {
  constructor(
    private readonly reads: Reads,
    private readonly starters: Starters,
    private readonly functions: StartableFunctions,
    private readonly earlier: FunctionVersionReader,
    private readonly inputs: RunInputs,
    private readonly files: DeliveredFiles,
    private readonly switches: ReplaySwitches,
    private readonly runs: FunctionRuns,
    private readonly clock: Clock,
    private readonly scopes: Scopes,
  ) {}

  async replay(
    call: OperationContext,
    runId: string,
    version: 'live' | 'same',
  ): Promise<{ runId: string; replayOf: string }> {
    const answer = { runId: call.newId('run'), replayOf: runId };
    // An earlier attempt of this call may have queued the run before it was interrupted. The repeated call must not
    // queue a second run.
    if (call.repeatable && (await this.runs.find(call.workspaceId, answer.runId))) return answer;
    const run = await this.reads.get<Run>(call.workspaceId, 'runs', runId);
    if (run === undefined) return refuse('run-not-found');
    await this.scopes.allow(call, run.projectId);
    const fn = await this.startable(call, run);
    checkReplay(run, this.clock.now());
    if (version === 'same') await this.checkVersion(call, fn, run.version);
    const params = (await this.inputs.open(run.workspaceId, run.id)) ?? refuse('run-input-gone', { runId: run.id });
    const { hasFiles = false } = run;
    const copy = { workspaceId: run.workspaceId, runId: answer.runId };
    if (hasFiles && !(await this.files.copy({ ...copy, runId: run.id }, copy, params))) {
      refuse('run-input-gone', { runId: run.id });
    }
    await this.runs.accept({
      workspaceId: run.workspaceId,
      ...ownedBy(ownerOf(run)),
      functionId: run.functionId,
      runId: answer.runId,
      params,
      source: run.source,
      starter: run.starter,
      actor: call.actor,
      correlationId: call.correlationId,
      causationId: run.id,
      depth: run.depth,
      eventDepth: run.eventDepth,
      neverDeletes: run.neverDeletes || call.caller?.neverDeletes === true,
      keepInput: await this.switches.allows(run.workspaceId, run.starter),
      hasFiles,
      replayOf: run.id,
      pinnedVersion: version === 'same' ? run.version : null,
    });
    return answer;
  }

  private async startable(call: OperationContext, run: Run): Promise<FunctionDocument> {
    const { operation } = call;
    if (call.caller?.permissions.has('functions.run') === false) {
      refuse('permission-missing', { permission: 'functions.run', operation });
    }
    const fn = await this.functions.byId(call.workspaceId, run.functionId, await this.starters.of(call), run);
    return fn.isActive ? fn : refuse('target-inactive', { name: fn.name });
  }

  private async checkVersion(call: OperationContext, fn: FunctionDocument, versionId: string): Promise<void> {
    checkVersion(fn, versionId, call.caller?.kind, await settingsOf(this.reads, call.workspaceId));
    await this.earlier.asOf(fn, versionId);
  }
}
