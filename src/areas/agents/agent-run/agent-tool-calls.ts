import { Injectable } from '@nestjs/common';
import { serviceTool } from '../../../engine/authorisation/service-tool.js';
import { actorOf, Calls } from '../../../engine/operation/calls.js';
import { findOperation, type RegisteredOperation } from '../../../engine/operation/operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { withoutPasswords } from '../../../engine/operation/without-passwords.js';
import { Pipeline } from '../../../engine/pipeline/pipeline.js';
import { Stopping } from '../../../engine/step-work/step-attempts.js';
import type { StepInHand } from '../../../engine/step-work/step-kind.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Clock } from '../../../ports/clock.port.js';
import { type AgentRefusalCode } from '../agents.refusals.js';
import type { EligibleAgent } from './agent-eligibility.js';
import type { AgentRunState, RequestedCall } from './agent-run-state.js';
import { OfferedTools } from './offered-tools.js';
import { answeredCall, judgeCall, refusedToolCall, type ToolResult, waitingCardResult } from './tool-call.js';

/** Interval of the retries in `untilEnded`, in milliseconds. */
const lookAgainMs = 1_000;

/** After these refusals, the call is retried. All others are reported to the model. */
const temporary: readonly string[] = ['store-unavailable', 'run-not-recorded'] satisfies AgentRefusalCode[];

/**
 * Calls have exactly the agent's rights and pass through the same pipeline as those of any caller. A call that is
 * repeated after a crash takes effect only once.
 */
@Injectable()
export class AgentToolCalls {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly calls: Calls,
    private readonly offered: OfferedTools,
    private readonly clock: Clock,
  ) {}

  /**
   * Refusals are returned as results for the model, except temporary ones.
   * @throws temporary refusals, and errors that are not refusals
   */
  async make(step: StepInHand<AgentRunState>, requested: RequestedCall, eligible: EligibleAgent): Promise<ToolResult> {
    const judged = judgeCall(requested);
    if (!judged.ok) return judged.result;
    const { tool, args } = judged;
    const { agent, caller } = eligible;
    // The agent's list of tools might have changed since the question.
    const stillOffered = (await this.offered.of(agent, caller)).some(({ name }) => name === tool);
    if (!stillOffered)
      return refusedToolCall('tool-not-found', 'This tool is no longer available to you; continue without it.');
    try {
      return await this.perform(step, tool, args, eligible);
    } catch (error) {
      if (!(error instanceof Refusal) || temporary.includes(error.code)) throw error;
      return refusedToolCall(error.code, error.message, error.facts.errors);
    }
  }

  private async perform(
    step: StepInHand<AgentRunState>,
    tool: string,
    args: JsonObject,
    { caller }: EligibleAgent,
  ): Promise<ToolResult> {
    const operation = serviceTool(tool, 'agent');
    const [runs, body] = operation === undefined ? ([invoke(), { id: tool, event: args }] as const) : [operation, args];
    const call = { ...this.contextOf(step, caller, runs.name), caller, eventDepth: step.run.eventDepth };
    const answer = (await this.untilEnded(step, () => this.pipeline.within(runs, body, call))) as Json;
    const card = cardIn(answer);
    if (card !== undefined) return waitingCardResult(card.id, card.shown);
    if (operation === undefined) return answeredCall(isJsonObject(answer) ? (answer['result'] ?? null) : answer);
    return answeredCall(withoutPasswords(operation.answers, answer));
  }

  private contextOf({ run, stepKey }: StepInHand<AgentRunState>, caller: Caller, operation: string): OperationContext {
    const { workspaceId, correlationId, id: causationId, position: notBefore } = run;
    const actor = actorOf(caller);
    return this.calls.derived({ workspaceId, actor, operation, from: stepKey, correlationId, causationId, notBefore });
  }

  /**
   * Retries until the time limit of the agent's run while an earlier attempt is still recorded as in progress. Its
   * process has died, so another process will soon end that attempt.
   */
  private async untilEnded<Answer>(step: StepInHand<AgentRunState>, work: () => Promise<Answer>): Promise<Answer> {
    let stopping = false;
    step.stopping.then(() => {
      stopping = true;
    });
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'idempotency-key-in-progress') throw error;
        if ((step.state.endsAt ?? 0) <= this.clock.now()) throw error;
      }
      await Promise.race([step.stopping, new Promise<void>((resolve) => this.clock.after(lookAgainMs, resolve))]);
      if (stopping) throw new Stopping();
    }
  }
}

function invoke(): RegisteredOperation {
  const found = findOperation('automations/invokeFunction');
  if (found === undefined) throw new Error('No operation for running functions is registered.');
  return found;
}

function cardIn(answer: Json): { readonly id: string; readonly shown: JsonObject } | undefined {
  const card = isJsonObject(answer) ? answer['pendingChange'] : undefined;
  if (!isJsonObject(answer) || !isJsonObject(card) || typeof card['id'] !== 'string') return undefined;
  const { id, summary = '', status = '' } = card;
  return { id, shown: { id, summary, status, approveLink: answer['approveLink'] ?? null } };
}
