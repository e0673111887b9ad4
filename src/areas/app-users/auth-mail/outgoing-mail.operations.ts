import { Operation } from '../../../engine/operation/operation.js';
import { notShownField } from '../../../engine/operation/shown-once.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { siteMailKinds } from './site-mail.record.js';

const nullableText = { type: 'string', nullable: true } as const;

export class OutgoingMailItem {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string', enum: siteMailKinds }) kind!: string;
  @Field({ type: 'string', description: 'The address.' }) to!: string;
  @Field(nullableText) userName!: string | null;
  @Field({ ...nullableText, description: 'Whole: whoever has it can use it.' }) link!: string | null;
  @Field({
    type: 'string',
    enum: ['waiting', 'kept'],
    description: 'waiting: it is tried again. kept: nobody can send it.',
  })
  status!: string;
  @Field({ ...nullableText, description: 'Why it was not sent.' }) error!: string | null;
  @Field({ type: 'string', format: 'date-time' }) createdAt!: string;
  @Field({ type: 'string', format: 'date-time', description: 'It is destroyed then.' }) expiresAt!: string;
}

@Operation('site/listOutgoingMail', {
  summary: 'Shows mail of sign-in that was not sent, with its links, newest first; each reading is recorded.',
  source: 'Supplementary, sites, Mail of a site',
  group: 'app-users',
  // It records who read it.
  effect: 'command',
  permission: 'site.users',
  callers: ['person'],
  tools: 'never',
  within: 'project',
  answers: {
    fields: {
      mails: {
        type: 'array',
        items: () => OutgoingMailItem,
        once: true,
        nullable: true,
        description: 'The newest 100. null: see notShown.',
      },
      notShown: notShownField,
    },
  },
})
export class ListOutgoingMail {
  @Field(idField) projectId!: string;
}
