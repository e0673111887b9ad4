import { CommandHandler } from '@nestjs/cqrs';
import { callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { Starters } from '../../../engine/starters.js';
import type { Json } from '../../../kernel/json.js';
import { refuse } from '../../../kernel/refusal.js';
import type { LogLine } from '../../../ports/sandbox.port.js';
import type { Workspace } from '../../workspace/workspace/workspace.record.js';
import { FunctionRuns, type RunReport } from './function-runs.api.js';
import { InvokeFunction } from './run.operations.js';
import { StartableFunctions } from './startable-functions.js';

export interface Invoked {
  readonly result: Json;
  readonly runId: string;
  readonly logs?: readonly LogLine[];
}

/** Runs the function now. A repeat with the same idempotency key after a crash never runs it a second time. */
@CommandHandler(InvokeFunction)
export class InvokeFunctionHandler {
  constructor(
    private readonly functions: StartableFunctions,
    private readonly runs: FunctionRuns,
    private readonly starters: Starters,
    private readonly reads: Reads,
  ) {}

  async execute(input: InvokeFunction): Promise<Invoked> {
    const call = callOf(input);
    const starter = await this.starters.of(call);
    const fn = await this.functions.find(call.workspaceId, input.id, starter);
    const runId = call.newId('run');
    if (call.repeatable) await this.refuseSecondRun(call.workspaceId, runId);
    const report = await this.runs.run({
      workspaceId: call.workspaceId,
      functionId: fn.id,
      runId,
      params: input.event ?? {},
      source: starter.kind === 'agent' ? 'agent' : 'manual',
      starter,
      actor: call.actor,
      correlationId: call.correlationId,
      causationId: call.causationId,
      depth: 0,
      eventDepth: call.eventDepth ?? 0,
      neverDeletes: call.caller?.neverDeletes,
    });
    return this.answer(call.workspaceId, report);
  }

  private async answer(workspaceId: string, report: RunReport): Promise<Invoked> {
    const workspace = await this.reads.get<Workspace>(workspaceId, 'workspaces', workspaceId);
    const logs = workspace?.settings.functionLogs ? { logs: report.logs } : {};
    const { runId } = report;
    if (report.ok) return { result: report.result, runId, ...logs };
    return refuse('function-failed', { error: report.error }, { details: { runId, ...logs } });
  }

  /** A crash cut off the first call after its run had begun. The answer is the outcome of that run. */
  private async refuseSecondRun(workspaceId: string, runId: string): Promise<void> {
    const run = await this.runs.find(workspaceId, runId);
    if (run === undefined) return;
    if (!run.ended) refuse('idempotency-key-in-progress', undefined, { retryAfterSeconds: 5 });
    const error = run.error ?? 'The run ended, but its answer was lost when the service stopped.';
    refuse('function-failed', { error }, { details: { runId } });
  }
}
