import { RecordTexts } from '../../../engine/commands/record-texts.js';
import { command } from '../../../engine/operation/bound-operation.js';
import { metadataOf } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { AiCredits } from '../../workspace/credits/ai-credits.api.js';
import { accountFunctions, type FunctionDocument, largestCode } from '../function/function.record.js';
import { refuse } from '../functions.refusals.js';
import { FunctionAuthor } from './function-author.js';

export const authorOperations = [
  command('automations/aiAuthor', {
    summary: 'Proposes new code for a function, without saving it. Costs one AI credit if a proposal is made.',
    source: 'Automations API, Functions',
    group: 'functions',
    permission: 'functions.edit',
    tools: 'never',
    outside: ['asks a language model'],
    answers: {
      fields: {
        reply: {
          type: 'string',
          description: 'One line about what was changed. If the credits are used up, it names who can add more.',
        },
        code: {
          type: 'string',
          nullable: true,
          description: 'The complete proposed code. null if the credits are used up.',
        },
      },
    },
    input: {
      id: { type: 'string', minLength: 1, maxLength: 200 },
      message: { type: 'string', minLength: 1, maxLength: 4_000, description: 'What the function should do.' },
      currentCode: {
        type: 'string',
        maxLength: largestCode,
        optional: true,
        description: "The code that the proposal is based on. Default: the function's saved code.",
      },
    },
    inject: [Reads, FunctionAuthor, AiCredits, RecordTexts],
    handle: async ({ id, message, currentCode }, call, reads, author, credits, texts) => {
      const fn = await reads.get<FunctionDocument>(call.workspaceId, 'functions', id);
      if (fn === undefined) return accountFunctions.missing();
      if (!author.configured) return refuse('assistant-not-configured');
      const read = await texts.read(call.workspaceId, [fn.code]);
      const use = {
        id: call.newId('proposal'),
        by: metadataOf(call),
        mayComeAgain: call.repeatable && !call.firstTime,
      };
      const spent = await credits.spend(use, () => author.propose(fn, message, currentCode ?? read(fn.code)));
      return spent === 'used-up' ? { reply: await credits.usedUp(call.workspaceId), code: null } : spent.made;
    },
  }),
];
