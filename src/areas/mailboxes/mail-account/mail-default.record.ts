import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { type RecordAggregate, record } from '../../../kernel/record/record.js';
import { refuse } from '../mailboxes.refusals.js';

/** A null `mailAccountId` means that there is no default. `askedAt` is in ISO 8601. */
export type MailDefaultEvent = DomainEvent<
  'DefaultMailboxChosen',
  { readonly mailAccountId: string | null; readonly askedAt: string }
>;

export interface MailDefault extends Document {
  readonly mailAccountId: string | null;
  readonly askedAt: string;
}

const recorded = record<MailDefault, MailDefaultEvent>()({
  category: 'mailDefault',
  auditedFor: 'functions.read',
  shownBy: 'automations/listMailAccounts',
  undoing: 'Make another mailbox the default with automations/updateMailAccount.',
  missing: () => refuse('workspace-not-found'),
  collection: { name: 'mailDefaults', version: 1, indexes: [] },
  begins: { DefaultMailboxChosen: ({ data }, ids) => ({ ...ids, ...data }) },
  continues: {},
});

export const mailDefaults: RecordAggregate<MailDefault, MailDefaultEvent> = { ...recorded, exists: () => true };
