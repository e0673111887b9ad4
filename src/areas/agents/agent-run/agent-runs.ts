import { Injectable } from '@nestjs/common';
import type { Next, StepInHand, StepKind, StepOutcome } from '../../../engine/step-work/step-kind.js';
import { StepKinds } from '../../../engine/step-work/step-kinds.js';
import { Clock } from '../../../ports/clock.port.js';
import { AgentEligibility, ineligibleLine, inRun } from './agent-eligibility.js';
import { AgentQuestion } from './agent-question.js';
import { agentRunLimits as limits } from './agent-run-limits.js';
import { type AgentRunState, answered, called, failedRun, nextAgentStep } from './agent-run-state.js';
import { AgentToolCalls } from './agent-tool-calls.js';
import { OfferedTools } from './offered-tools.js';

export const askStep = 'ask';

const late = `The run did not finish within ${limits.runMs / 60_000} minutes.`;

/** A step is a question to the model or one of the tool calls that the model requested. */
@Injectable()
export class AgentRuns implements StepKind<AgentRunState> {
  readonly category = 'agentRun';
  readonly collection = 'agentRuns';
  readonly topic = 'agent-steps';
  readonly concurrency = 8;
  readonly attempts = 3;
  /** The state is retained after the run, because it contains the run's answer. */
  readonly storesState = true;

  constructor(
    private readonly eligibility: AgentEligibility,
    private readonly question: AgentQuestion,
    private readonly calls: AgentToolCalls,
    private readonly offered: OfferedTools,
    private readonly clock: Clock,
    kinds: StepKinds,
  ) {
    kinds.register(this);
  }

  next(state: AgentRunState): Next {
    const next = nextAgentStep(state);
    switch (next.kind) {
      case 'ask':
        return { step: { id: askStep, name: 'The model is asked' } };
      case 'call':
        return { step: { id: next.call.id, name: next.call.tool ?? 'unknown' } };
      case 'end':
        return { end: { error: next.failure } };
    }
  }

  async perform(step: StepInHand<AgentRunState>): Promise<StepOutcome<AgentRunState>> {
    const { run, state } = step;
    const next = nextAgentStep(state);
    const now = this.clock.now();
    if (next.kind === 'end' || (state.endsAt !== null && state.endsAt <= now)) {
      return { done: true, state: failedRun(state, late) };
    }
    // The agent might have been deleted or deactivated since the last step. Effects of earlier steps remain.
    const found = await this.eligibility.eligibilityOf(run.workspaceId, run.targetId);
    if (!found.ok) return { done: false, error: ineligibleLine(found), final: true };
    const eligibility = inRun(found, run);
    if (next.kind === 'call') {
      const { outcome, code, card, forModel: shown } = await this.calls.make(step, next.call, eligibility);
      const note = { outcome, ...(code === undefined ? {} : { code }), ...(card === undefined ? {} : { card }) };
      return { done: true, state: called(state, shown), note };
    }
    const tools = await this.offered.of(eligibility.agent, eligibility.caller);
    const endsAt = state.endsAt ?? now + limits.runMs;
    const asked = await this.question.ask(step, eligibility, tools, Math.min(limits.questionMs, endsAt - now));
    if (!asked.ok) return { done: false, ...asked };
    const names = new Set(tools.map(({ name }) => name));
    const after = answered(state, asked.answer, names, endsAt);
    const leftOut = asked.answer.toolCalls.length - after.waiting.length;
    return { done: true, state: after, note: { calls: after.waiting.length, ...(leftOut > 0 ? { leftOut } : {}) } };
  }
}
