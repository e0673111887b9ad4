import { targetKinds } from '../../../kernel/callers/target.js';
import { Field } from '../../../kernel/field/field.js';
import type { MailhookUse } from './inbound-email.record.js';
import type { Mailhook } from './mailhook.record.js';

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

/** Adds the numbers about received mail. */
export const withUse = (mailhook: Mailhook, use: MailhookUse | undefined) => ({
  receivedCount: 0,
  lastReceivedAt: null,
  ...use,
  ...mailhook,
});
