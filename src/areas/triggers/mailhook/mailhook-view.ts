import { targetKinds } from '../../../kernel/callers/target.js';
import { Field } from '../../../kernel/field/field.js';
import type { MailhookUse } from './inbound-email.record.js';
import type { Mailhook } from './mailhook.record.js';

export class MailhookView {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', enum: targetKinds }) targetKind!: string;
  @Field({ type: 'string' }) targetRef!: string;
  @Field({
    type: 'string',
    nullable: true,
    description: 'The site that the mailhook is bound to. null if there is none.',
  })
  projectId!: string | null;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({
    type: 'boolean',
    description: 'Whether inputs are stored so that failed runs can be replayed. Set with setTriggerReplay.',
  })
  keepInput!: boolean;
  @Field({ type: 'integer' }) receivedCount!: number;
  @Field({ type: 'string', format: 'date-time', nullable: true }) lastReceivedAt!: string | null;
}

export class MailhookRecord extends MailhookView {
  @Field({ type: 'string', description: 'Must be kept as secret as a password.', password: true }) address!: string;
}

export class ListedMailhook extends MailhookView {
  @Field({
    type: 'string',
    nullable: true,
    password: true,
    description: 'Must be kept as secret as a password. null if you may not start the target yourself.',
  })
  address!: string | null;
}

export const withUse = (mailhook: Mailhook, use: MailhookUse | undefined) => ({
  receivedCount: 0,
  lastReceivedAt: null,
  ...use,
  ...mailhook,
});
