import { Injectable } from '@nestjs/common';
import { AssistantQuestions } from '../../../engine/assistant/assistant-questions.js';
import type { AssistantAnswer, AssistantMessage } from '../../../ports/network/assistant.port.js';
import { CtxTable } from '../ctx/ctx-table.api.js';
import type { FunctionDocument } from '../function/function.record.js';
import { refuse } from '../functions.refusals.js';
import { judgeAnswer, type ProposedCode } from './author-answer.js';
import { askingAgain, askingFor } from './author-prompt.js';

/**
 * Time limit for each answer of the assistant. An answer and its correction must arrive before the reserved credit
 * expires.
 */
const deadlineMs = 90_000;

@Injectable()
export class FunctionAuthor {
  constructor(
    private readonly questions: AssistantQuestions,
    private readonly ctx: CtxTable,
  ) {}

  get configured(): boolean {
    return this.questions.configured;
  }

  /**
   * Resolves to code that a save would accept. A faulty answer is sent back once for correction.
   * @throws Refusal assistant-not-configured, assistant-unavailable, assistant-refused, assistant-made-nothing
   */
  async propose(fn: FunctionDocument, request: string, currentCode: string): Promise<ProposedCode> {
    const prompt = askingFor(fn, request, currentCode, this.ctx.usages(fn));
    const first = await this.ask(prompt);
    const judged = judgeAnswer(first);
    if (judged.ok) return judged.proposal;
    const mended = judgeAnswer(await this.ask([...prompt, ...askingAgain(first.content, judged.problem)]));
    return mended.ok ? mended.proposal : refuse('assistant-made-nothing');
  }

  private ask(messages: readonly AssistantMessage[]): Promise<AssistantAnswer> {
    return this.questions.ask({ messages, json: true, deadlineMs });
  }
}
