import { Operation } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { largestCode } from '../function/function.record.js';

@Operation('automations/aiAuthor', {
  summary: 'Proposes new code for a function; saves nothing, and costs one AI credit when something was made.',
  source: 'Automations API, Functions',
  group: 'functions',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'never',
  outside: ['asks a language model'],
  answers: {
    fields: {
      reply: { type: 'string', description: 'One line: what was changed or, without code, who can add credits.' },
      code: { type: 'string', nullable: true, description: 'The whole new body; null when the credits are used up.' },
    },
  },
})
export class AiAuthor {
  @Field({ type: 'string', minLength: 1, maxLength: 200 }) id!: string;
  @Field({ type: 'string', minLength: 1, maxLength: 4_000, description: 'What the function is to do.' })
  message!: string;
  @Field({
    type: 'string',
    maxLength: largestCode,
    optional: true,
    description: "What the proposal starts from; left out, the function's code as it is saved.",
  })
  currentCode?: string;
}
