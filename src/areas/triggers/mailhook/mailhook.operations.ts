import { Operation, success } from '../../../engine/operation/operation.js';
import { shown } from '../../../engine/operation/shown.js';
import { changes } from '../../../engine/records/record-operations.js';
import { type TargetWord, targetKinds } from '../../../kernel/callers/target.js';
import { Field } from '../../../kernel/field/field.js';
import type { MailhookUse } from './inbound-email.record.js';
import { deleteMailhook } from './mailhook.js';
import { type Mailhook, mailhooks } from './mailhook.record.js';

const source = 'Automations API, Mailhooks';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;
const targetKind = {
  type: 'string',
  enum: [...targetKinds, 'agent'],
  description: "'agent' says 'specialist'.",
} as const;

export class MailhookView {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', enum: targetKinds }) targetKind!: string;
  @Field({ type: 'string' }) targetRef!: string;
  @Field({ type: 'string', nullable: true, description: 'The site it is bound to.' }) projectId!: string | null;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'boolean', description: 'Failed runs can be replayed: see setTriggerReplay.' }) keepInput!: boolean;
  @Field({ type: 'integer' }) receivedCount!: number;
  @Field({ type: 'string', format: 'date-time', nullable: true }) lastReceivedAt!: string | null;
}

export class MailhookRecord extends MailhookView {
  @Field({ type: 'string', description: 'As secret as a password.', password: true }) address!: string;
}

export class ListedMailhook extends MailhookView {
  @Field({
    type: 'string',
    nullable: true,
    password: true,
    description: 'As secret as a password. null: you may not start the target yourself.',
  })
  address!: string | null;
}

@Operation('automations/listMailhooks', {
  summary: 'Lists the addresses whose mail starts something.',
  source,
  group: 'mailhooks',
  effect: 'query',
  permission: 'functions.edit',
  tools: 'granted',
  showsLinks: true,
  answers: { fields: { mailhooks: { type: 'array', items: () => ListedMailhook } } },
})
export class ListMailhooks {
  @Field({ ...id, optional: true, description: 'Those bound to this site and those bound to none.' })
  projectId?: string;
}

@Operation('automations/createMailhook', {
  summary: 'Gives a target a secret address; mail to it runs the target.',
  source,
  group: 'mailhooks',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  answers: { record: MailhookRecord },
})
export class CreateMailhook {
  @Field({ ...id, description: 'A label.' }) name!: string;
  @Field(targetKind) targetKind!: TargetWord;
  @Field({ ...id, description: 'The id of the target.' }) targetRef!: string;
  @Field({ ...id, optional: true, description: 'A site to bind it to.' }) projectId?: string;
}

@Operation('automations/updateMailhook', {
  summary: 'Updates a mailhook; its address stays.',
  source,
  group: 'mailhooks',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  answers: { record: MailhookView },
})
export class UpdateMailhook {
  @Field(id) id!: string;
  @Field({ ...id, optional: true }) name?: string;
  @Field({ ...targetKind, optional: true, description: 'Together with targetRef.' }) targetKind?: TargetWord;
  @Field({ ...id, optional: true, description: 'Together with targetKind.' }) targetRef?: string;
  @Field({ type: 'boolean', optional: true }) isActive?: boolean;
  @Field({ ...id, optional: true, nullable: true, description: 'null unbinds it.' }) projectId?: string | null;
}

@Operation('automations/deleteMailhook', {
  summary: 'Deletes a mailhook with the mail it got; its address takes no more.',
  source,
  group: 'mailhooks',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'granted',
  takesAway: true,
  outside: ['destroys kept mail'],
  answers: success,
})
export class DeleteMailhook {
  @Field(id) id!: string;
}

/** Settled question Q-A49. `text`, `html` and `headers` are shortened here. */
export class InboundEmailRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) mailhookId!: string;
  @Field({ type: 'string', enum: ['received', 'ok', 'failed', 'duplicate', 'skipped'] }) status!: string;
  @Field({ type: 'string', nullable: true, description: 'The latest; of a duplicate, the first one’s.' }) runId!:
    | string
    | null;
  @Field({ type: 'array', items: 'string', description: 'All, the oldest first.' }) runIds!: readonly string[];
  @Field({ type: 'string', nullable: true, description: 'Why it failed or was skipped.' }) error!: string | null;
  @Field({ type: 'string', nullable: true, description: 'The mail that it repeats.' }) duplicateOf!: string | null;
  @Field({ type: 'integer', description: 'Bytes, as it was sent.' }) size!: number;
  @Field({ type: 'string', format: 'date-time' }) receivedAt!: string;
  @Field({ type: 'string', nullable: true }) messageId!: string | null;
  @Field({ type: 'object', nullable: true, description: '{ name, address }' }) from!: object | null;
  @Field({ type: 'array', items: 'object' }) to!: readonly object[];
  @Field({ type: 'array', items: 'object' }) cc!: readonly object[];
  @Field({ type: 'string', nullable: true }) subject!: string | null;
  @Field({ type: 'string', nullable: true, description: 'Its first 2,000 characters.' }) text!: string | null;
  @Field({ type: 'string', nullable: true, description: 'Its first 2,000 characters, as they were sent.' }) html!:
    | string
    | null;
  @Field({ type: 'object', description: 'The first 16 KB of them.' }) headers!: object;
  @Field({ type: 'array', items: 'object', description: '{ name, contentType, size, fileId }' })
  attachments!: readonly object[];
  @Field({ type: 'boolean', description: 'There is more text than is shown here.' }) truncated!: boolean;
}

@Operation('automations/listInboundEmails', {
  summary: 'Lists the mail that a mailhook got, newest first, and what became of it.',
  source,
  group: 'mailhooks',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: { list: InboundEmailRecord },
})
export class ListInboundEmails {
  @Field(id) mailhookId!: string;
  @Field({ type: 'integer', minimum: 1, maximum: 200, optional: true, default: 50 }) limit?: number;
  @Field({ ...id, optional: true, description: 'The oldest mail already held: answers those before it.' })
  before?: string;
}

@Operation('automations/rerunInboundEmail', {
  summary: 'Runs the target of a mailhook again with a mail that it got.',
  source,
  group: 'mailhooks',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'never',
  outside: ['starts runs'],
  answers: { fields: { runId: { type: 'string' } } },
})
export class RerunInboundEmail {
  @Field({ ...id, description: 'The mail.' }) id!: string;
}

export const mailhookHandlers = [changes(DeleteMailhook, mailhooks, () => deleteMailhook('asked'))];

export function mailhookView(mailhook: Mailhook, use: MailhookUse | undefined): MailhookView {
  return shown(MailhookView, { receivedCount: 0, lastReceivedAt: null, ...use, ...mailhook });
}
