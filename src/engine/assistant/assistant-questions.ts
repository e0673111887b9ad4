import { Injectable, Logger } from '@nestjs/common';
import {
  Assistant,
  type AssistantAnswer,
  AssistantAnswerUnreadable,
  AssistantNotConfigured,
  type AssistantQuestion,
  AssistantRefused,
  AssistantUnavailable,
} from '../../ports/network/assistant.port.js';
import { refuse } from '../refusals/engine.refusals.js';

@Injectable()
export class AssistantQuestions {
  private readonly log = new Logger('Assistant');

  constructor(private readonly assistant: Assistant) {}

  get configured(): boolean {
    return this.assistant.configured;
  }

  /** @throws Refusal assistant-not-configured, assistant-unavailable, assistant-refused, assistant-made-nothing */
  async ask(question: AssistantQuestion): Promise<AssistantAnswer> {
    try {
      return await this.assistant.ask(question);
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
