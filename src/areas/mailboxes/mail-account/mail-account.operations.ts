import { Operation, success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { lineSchema, shownLineSchema } from '../../../kernel/field/plain-text.js';
import type { MailAccount, MailAccountEvent } from './mail-account.record.js';

const source = 'Automations API, Sending mailboxes';
const id = { type: 'string', minLength: 1, maxLength: 200 } as const;
const line = { type: 'string', maxLength: 200, schema: lineSchema } as const;
const shown = { ...line, minLength: 1, schema: shownLineSchema } as const;
const address = { type: 'string', maxLength: 254, schema: { format: 'email' } } as const;
const replyTo = { ...address, schema: { anyOf: [{ format: 'email' }, { maxLength: 0 }] }, optional: true } as const;
const host = {
  type: 'string',
  minLength: 1,
  maxLength: 253,
  description: 'A name or an address, without a port.',
} as const;
const projectId = { ...id, optional: true } as const;
const port = { type: 'integer', minimum: 1, maximum: 65_535, optional: true } as const;
const flag = { type: 'boolean', optional: true } as const;
const hourlyLimit = { type: 'integer', minimum: 1, maximum: 1_000_000, optional: true } as const;
const secret = { type: 'string', minLength: 1, maxLength: 1_000, password: true } as const;

export class MailAccountSite {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
}

/** A mailbox as shown to everybody who may list mailboxes. */
export class MailAccountItem {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'object', shape: () => MailAccountSite, nullable: true, description: 'null: any use.' })
  site!: MailAccountSite | null;
  @Field({ type: 'string' }) fromAddress!: string;
  @Field({ type: 'string' }) fromName!: string;
  @Field({ type: 'boolean', description: 'It worked when it was tested, and is as it was then.' }) verified!: boolean;
  @Field({ type: 'boolean' }) isDefault!: boolean;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'integer', description: 'Recipients in the hour that is going on.' }) sentCount!: number;
  @Field({ type: 'integer' }) hourlyLimit!: number;
}

/** Automations API, Mail account. The optional fields are shown only to holders of 'Add and remove mailboxes'. */
export class MailAccountRecord extends MailAccountItem {
  @Field({ type: 'string', optional: true }) replyTo?: string;
  @Field({ type: 'string', optional: true }) host?: string;
  @Field({ type: 'integer', optional: true }) port?: number;
  @Field({ type: 'boolean', optional: true }) secure?: boolean;
  @Field({ type: 'string', optional: true }) username?: string;
  @Field({ type: 'string', optional: true, nullable: true, description: 'Of the last test or mail; null: it went.' })
  lastError?: string | null;
}

@Operation('automations/listMailAccounts', {
  summary: 'Lists the mailboxes that mail is sent through, without their passwords.',
  source,
  group: 'mailboxes',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: { list: MailAccountRecord },
})
export class ListMailAccounts {
  @Field({ ...projectId, description: 'Only those that this site may use.' }) projectId?: string;
}

@Operation('automations/createMailAccount', {
  summary: 'Adds a mailbox; the first one becomes the default.',
  source,
  group: 'mailboxes',
  effect: 'command',
  permission: 'mailboxes.manage',
  tools: 'never',
  answers: { record: MailAccountRecord },
})
export class CreateMailAccount {
  @Field({ ...shown, description: 'What ctx.email.sendVia calls it by.' }) name!: string;
  @Field(address) fromAddress!: string;
  @Field({ ...line, optional: true }) fromName?: string;
  @Field(replyTo) replyTo?: string;
  @Field(host) host!: string;
  @Field({ ...port, description: 'Left out, 465 or, with secure false, 587.' }) port?: number;
  @Field({
    ...flag,
    default: true,
    description: 'true: TLS from the first byte. false: STARTTLS, which has to be there.',
  })
  secure?: boolean;
  @Field({ ...line, minLength: 1 }) username!: string;
  @Field({ ...secret, description: 'Sealed, and answered by no operation.' }) password!: string;
  @Field({ ...projectId, description: 'The one site that it may serve.' }) projectId?: string;
  @Field({ ...flag, description: 'Left out, it becomes the default where there is none.' }) isDefault?: boolean;
  @Field({ ...hourlyLimit, default: 200, description: 'Recipients an hour.' }) hourlyLimit?: number;
}

@Operation('automations/updateMailAccount', {
  summary: 'Changes a mailbox; what is left out stays.',
  source,
  group: 'mailboxes',
  effect: 'command',
  permission: 'mailboxes.manage',
  tools: 'never',
  // The replaced password is destroyed.
  takesAway: takesAwayWhen<MailAccount, MailAccountEvent>(
    ({ type, data }) => type === 'MailAccountChanged' && data.replaces !== undefined,
  ),
  outside: ['destroys secrets'],
  answers: { record: MailAccountRecord },
})
export class UpdateMailAccount {
  @Field(id) id!: string;
  @Field({ ...shown, optional: true }) name?: string;
  @Field({ ...address, optional: true }) fromAddress?: string;
  @Field({ ...line, optional: true }) fromName?: string;
  @Field(replyTo) replyTo?: string;
  @Field({ ...host, optional: true }) host?: string;
  @Field({ ...line, minLength: 1, optional: true }) username?: string;
  @Field({ ...projectId, nullable: true, description: 'null: any use in the workspace.' }) projectId?: string | null;
  @Field({
    ...secret,
    optional: true,
    description: 'Only to replace it; needed with another host, port or username, and with secure false.',
  })
  password?: string;
  @Field(port) port?: number;
  @Field(hourlyLimit) hourlyLimit?: number;
  @Field(flag) secure?: boolean;
  @Field(flag) isDefault?: boolean;
  @Field(flag) isActive?: boolean;
}

@Operation('automations/deleteMailAccount', {
  summary: 'Deletes a mailbox and destroys its password; what sends through it fails from then on.',
  source,
  group: 'mailboxes',
  effect: 'command',
  permission: 'mailboxes.manage',
  tools: 'never',
  takesAway: true,
  outside: ['destroys secrets'],
  answers: success,
})
export class DeleteMailAccount {
  @Field(id) id!: string;
}

@Operation('automations/testMailAccount', {
  summary: 'Logs in to the mail server or, with to, sends a real mail there, and remembers whether it worked.',
  source,
  group: 'mailboxes',
  effect: 'command',
  permission: 'mailboxes.manage',
  tools: 'never',
  outside: ['logs in to a mail server', 'sends mail'],
  answers: {
    fields: {
      ok: { type: 'boolean' },
      error: { type: 'string', optional: true, description: 'Why it did not work, in one sentence.' },
    },
  },
})
export class TestMailAccount {
  @Field(id) id!: string;
  @Field({ ...address, optional: true, description: 'Who gets the mail; left out, none is sent.' }) to?: string;
}
