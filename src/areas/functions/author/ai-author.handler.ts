import { CommandHandler } from '@nestjs/cqrs';
import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { callOf, metadataOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { AiCredits } from '../../workspace/credits/ai-credits.api.js';
import { type AccountFunction, accountFunctions } from '../function/function.record.js';
import { AiAuthor } from './author.operations.js';
import type { Proposal } from './author-answer.js';
import { FunctionAuthor } from './function-author.js';

/** Proposes code, for one credit of the workspace (Automations API, aiAuthor). */
@CommandHandler(AiAuthor)
export class AiAuthorHandler {
  constructor(
    private readonly reads: Reads,
    private readonly author: FunctionAuthor,
    private readonly credits: AiCredits,
    private readonly texts: RecordTexts,
  ) {}

  async execute(input: AiAuthor): Promise<Proposal | { readonly reply: string; readonly code: null }> {
    const call = callOf(input);
    const fn = await this.reads.get<AccountFunction>(call.workspaceId, 'functions', input.id);
    if (fn === undefined) return accountFunctions.missing();
    if (!this.author.configured) return refuse('assistant-not-configured');
    const read = await this.texts.read(call.workspaceId, [fn.code]);
    const use = { id: call.newId('proposal'), by: metadataOf(call), mayComeAgain: call.repeatable && !call.firstTime };
    const spent = await this.credits.spend(use, () =>
      this.author.propose(fn, input.message, input.currentCode ?? read(fn.code)),
    );
    if (spent !== 'used-up') return spent.made;
    return { reply: await this.credits.usedUp(call.workspaceId), code: null };
  }
}
