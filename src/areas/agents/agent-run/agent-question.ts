import { Injectable } from '@nestjs/common';
import { AssistantQuestions } from '../../../engine/assistant/assistant-questions.js';
import { actorOf } from '../../../engine/operation/calls.js';
import { metadataOf } from '../../../engine/operation/operation-context.js';
import type { StepInHand } from '../../../engine/step-work/step-kind.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import type { AssistantAnswer, AssistantMessage, AssistantTool } from '../../../ports/network/assistant.port.js';
import { RowOfEvent } from '../../bases/row/row-of-event.api.js';
import { AiCredits } from '../../workspace/credits/ai-credits.api.js';
import { type AgentRefusalCode, refuse } from '../agents.refusals.js';
import type { EligibleAgent } from './agent-eligibility.js';
import { withInput } from './agent-prompt.js';
import { agentRunLimits as limits } from './agent-run-limits.js';
import type { AgentRunState } from './agent-run-state.js';

export type Question =
  | { readonly ok: true; readonly answer: AssistantAnswer }
  /** `final` means that another attempt would fail too. */
  | { readonly ok: false; readonly error: string; readonly final: boolean; readonly retryAfterMs?: number };

const mostRemembered = 1_000;

/** A question costs one AI credit, or nothing if there is no usable answer. */
@Injectable()
export class AgentQuestion {
  private readonly begun = new Set<string>();

  constructor(
    private readonly questions: AssistantQuestions,
    private readonly credits: AiCredits,
    private readonly rows: RowOfEvent,
  ) {}

  async ask(
    step: StepInHand<AgentRunState>,
    { agent, caller }: EligibleAgent,
    tools: readonly AssistantTool[],
    deadlineMs: number,
  ): Promise<Question> {
    try {
      if (!this.questions.configured) return refuse('assistant-not-configured');
      const use = {
        id: step.stepKey,
        by: metadataOf(step.call(actorOf(caller), 'agents/runAgent', 'credit')),
        mayComeAgain: this.mayHaveBegun(step),
      };
      const messages = await this.messagesFor(step);
      const model = agent.model === null ? {} : { model: agent.model };
      const spent = await this.credits.spend(use, async () =>
        usable(await this.questions.ask({ ...model, messages, tools, deadlineMs })),
      );
      if (spent === 'used-up') return { ok: false, error: await this.credits.usedUp(agent.workspaceId), final: true };
      return { ok: true, answer: spent.made };
    } catch (error) {
      const failure = error instanceof Refusal ? failureOf(error) : undefined;
      if (failure === undefined) throw error;
      return failure;
    }
  }

  private async messagesFor({ run, state }: StepInHand<AgentRunState>): Promise<readonly AssistantMessage[]> {
    const { messages, eventInput } = state;
    if (eventInput === undefined) return messages;
    return withInput(messages, run.starter, await this.rows.added(run, eventInput));
  }

  private mayHaveBegun({ run, number, attempt, stepKey }: StepInHand<AgentRunState>): boolean {
    const starts = run.steps.find((one) => one.number === number)?.attempts.at(-1)?.starts ?? 1;
    const again = attempt > 1 || starts > 1 || this.begun.has(stepKey);
    this.begun.add(stepKey);
    for (const oldest of this.begun) {
      if (this.begun.size <= mostRemembered) break;
      this.begun.delete(oldest);
    }
    return again;
  }
}

function usable(answer: AssistantAnswer): AssistantAnswer {
  const isEmpty = answer.content.trim() === '' && answer.toolCalls.length === 0;
  return isEmpty ? refuse('assistant-made-nothing') : answer;
}

type Failure = Extract<Question, { ok: false }>;

const refusedLine =
  "The assistant refused the agent's request: check the agent's model and instructions, or ask the operator of this service, whose log has the reason.";
const awayLine = 'The assistant could not be reached, or did not answer in time.';
const nothingLine = "The assistant's answer cannot be used.";

type FailureWords = (refusal: Refusal) => Omit<Failure, 'ok'>;

/** Keyed by the refusal's code. The error message is stored with the run, because no caller waits for the run. */
const failures: Readonly<Partial<Record<string, FailureWords>>> = {
  'assistant-not-configured': ({ message }) => ({ error: message, final: true }),
  'assistant-refused': () => ({ error: refusedLine, final: true }),
  'assistant-unavailable': ({ facts }) => ({ error: awayLine, final: false, retryAfterMs: pauseOf(facts) }),
  'assistant-made-nothing': () => ({ error: nothingLine, final: false }),
  'ai-credit-lapsed': ({ message }) => ({ error: message, final: false }),
} satisfies Partial<Record<AgentRefusalCode, FailureWords>>;

/** Undefined for refusals after which the step is repeated, such as those of an unavailable store. */
function failureOf(refusal: Refusal): Failure | undefined {
  const failure = failures[refusal.code]?.(refusal);
  return failure && { ok: false, ...failure };
}

const pauseOf = ({ retryAfterSeconds = 1 }: Refusal['facts']) => Math.min(retryAfterSeconds * 1_000, limits.questionMs);
