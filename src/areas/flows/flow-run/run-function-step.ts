import { Injectable } from '@nestjs/common';
import { Stopping } from '../../../engine/step-work/step-attempts.js';
import type { Starter } from '../../../kernel/callers/starter.js';
import { derivedId } from '../../../kernel/event/derived-id.js';
import { isJsonObject } from '../../../kernel/json/json.js';
import { fillJson } from '../../../kernel/json/template.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { RowOfEvent } from '../../bases/row/row-of-event.api.js';
import { FunctionRuns, type KnownRun } from '../../functions/run/function-runs.api.js';
import { StartableFunctions } from '../../functions/run/startable-functions.api.js';
import type { StepSettings } from '../flow/flow.record.js';
import { type FlowStepInHand, type StepDoer, type StepDone, UnfitValue } from './step-doer.js';

const firstLookMs = 20;
const longestLookMs = 1_000;

/**
 * If the step is repeated, it finds the function's run under the same id. The function's maxRetries apply, and the step
 * fails when the last attempt has failed.
 */
@Injectable()
export class RunFunctionStep implements StepDoer<'run_function'> {
  constructor(
    private readonly functions: StartableFunctions,
    private readonly runs: FunctionRuns,
    private readonly rows: RowOfEvent,
    private readonly clock: Clock,
  ) {}

  async do(settings: StepSettings['run_function'], step: FlowStepInHand): Promise<StepDone> {
    const { run, stepKey, stopping } = step.inHand;
    const runId = derivedId('run', stepKey);
    const note = { runId };
    if ((await this.runs.find(run.workspaceId, runId)) === undefined) await this.accept(settings, step, runId);
    const ended = await this.ended(run.workspaceId, runId, stopping);
    if (ended.error !== null) return { error: ended.error, final: true, note };
    const stored = await this.runs.result(run.workspaceId, runId);
    if (stored === undefined) return { error: `The result of run ${runId} is no longer stored.`, final: true, note };
    return { output: { runId, result: stored.result ?? null }, note };
  }

  private async accept(settings: StepSettings['run_function'], step: FlowStepInHand, runId: string): Promise<void> {
    const { flow, actor, filling, inHand } = step;
    const { workspaceId, correlationId, eventDepth, neverDeletes, id } = inHand.run;
    const params = fillJson(settings.params, filling);
    if (!isJsonObject(params)) throw new UnfitValue('The params of a function must be an object.');
    const starter: Starter = { kind: 'flow', id: flow.id, name: flow.name };
    const functionId = await this.startable(workspaceId, settings.function, starter);
    const facts = { workspaceId, functionId, runId, params, starter, actor, correlationId, eventDepth, neverDeletes };
    // If a change of a row started the run, the params can contain the row's values. The params are then not stored for
    // a replay, because the row could be erased before the replay.
    const keepInput = !this.rows.isIn(inHand.run, inHand.state.input);
    await this.runs.accept({ ...facts, source: 'api', causationId: id, depth: 0, keepInput, keepsResult: true });
  }

  /**
   * @throws UnfitValue, which fails the step without retries, if the function is missing or the flow may not start it
   */
  private async startable(workspaceId: string, nameOrId: string, starter: Starter): Promise<string> {
    try {
      return (await this.functions.find(workspaceId, nameOrId, starter)).id;
    } catch (error) {
      throw error instanceof Refusal ? new UnfitValue(error.message) : error;
    }
  }

  private async ended(workspaceId: string, runId: string, stopping: Promise<void>): Promise<KnownRun> {
    let stops = false;
    const stopped = stopping.then(() => {
      stops = true;
    });
    for (let pauseMs = firstLookMs; ; pauseMs = Math.min(pauseMs * 2, longestLookMs)) {
      const known = await this.runs.find(workspaceId, runId);
      if (known?.ended) return known;
      await Promise.race([stopped, new Promise<void>((resolve) => this.clock.after(pauseMs, resolve))]);
      if (stops) throw new Stopping();
    }
  }
}
