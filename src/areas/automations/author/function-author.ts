import { Injectable, Logger } from '@nestjs/common';
import { refuse } from '../../../kernel/refusal.js';
import {
  Assistant,
  type AssistantAnswer,
  AssistantAnswerUnreadable,
  type AssistantMessage,
  AssistantNotConfigured,
  AssistantRefused,
  AssistantUnavailable,
} from '../../../ports/assistant.port.js';
import { CapabilityTable } from '../../../sandbox/capabilities/capability-table.js';
import type { AccountFunction } from '../function/function.events.js';
import { judgeAnswer, type Proposal } from './author-answer.js';
import { askingAgain, askingFor } from './author-prompt.js';

/** For each of the two answers; together they end before the credit that is set aside for them lapses. */
const deadlineMs = 90_000;

/** Has a model write code. What it proposes is neither saved nor run here. */
@Injectable()
export class FunctionAuthor {
  private readonly log = new Logger('Assistant');

  constructor(
    private readonly assistant: Assistant,
    private readonly capabilities: CapabilityTable,
  ) {}

  get configured(): boolean {
    return this.assistant.configured;
  }

  /**
   * Code that a save would take. An answer that is not good enough is given back once to be mended.
   * @throws Refusal assistant-not-configured, assistant-unavailable, assistant-refused, assistant-made-nothing
   */
  async propose(fn: AccountFunction, request: string, currentCode: string): Promise<Proposal> {
    const asked = askingFor(fn, request, currentCode, this.capabilities.usages());
    const first = await this.ask(asked);
    const judged = judgeAnswer(first);
    if (judged.ok) return judged.proposal;
    const mended = judgeAnswer(await this.ask([...asked, ...askingAgain(first.content, judged.problem)]));
    return mended.ok ? mended.proposal : refuse('assistant-made-nothing');
  }

  private async ask(messages: readonly AssistantMessage[]): Promise<AssistantAnswer> {
    try {
      return await this.assistant.ask({ messages, json: true, deadlineMs });
    } catch (error) {
      const code = refusalFor(error);
      if (code === undefined || !(error instanceof Error)) throw error;
      this.log.warn(error.message);
      const later = error instanceof AssistantUnavailable ? { retryAfterSeconds: error.retryAfterSeconds ?? 5 } : {};
      return refuse(code, undefined, later);
    }
  }
}

function refusalFor(error: unknown) {
  if (error instanceof AssistantNotConfigured) return 'assistant-not-configured';
  if (error instanceof AssistantUnavailable) return 'assistant-unavailable';
  if (error instanceof AssistantRefused) return 'assistant-refused';
  return error instanceof AssistantAnswerUnreadable ? 'assistant-made-nothing' : undefined;
}
