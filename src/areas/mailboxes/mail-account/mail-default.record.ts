import type { DomainEvent } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { type RecordAggregate, record } from '../../../kernel/record/record.js';
import { refuse } from '../mailboxes.refusals.js';

/** If `mailAccountId` is null, there is no default. `askedAt` is when the change was requested, in ISO 8601. */
export type MailDefaultEvent = DomainEvent<
  'DefaultMailboxChosen',
  { readonly mailAccountId: string | null; readonly askedAt: string }
>;

/** The default mailbox of a workspace. It is a single record, so there is never more than one. */
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

/** The stream is `mailDefault-<id>.<id>`. Without any event, no mailbox is the default. */
export const mailDefaults: RecordAggregate<MailDefault, MailDefaultEvent> = { ...recorded, exists: () => true };
