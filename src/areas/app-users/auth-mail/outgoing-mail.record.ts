import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import type { ProjectNotice } from '../../sites/project/project.record.js';
import { refuse } from '../app-users.refusals.js';

export type OutgoingMailEvent =
  | DomainEvent<'OutgoingMailBegun', { readonly projectId: string }>
  | DomainEvent<'OutgoingMailNoticed', { readonly notice: ProjectNotice }>
  | DomainEvent<'OutgoingMailRead', { readonly mailIds: readonly string[] }>
  | DomainEvent<'OutgoingMailForgotten', object>;

/** Stored under the project's id. */
export interface OutgoingMail extends Document {
  readonly projectId: string;
  readonly noticedAt: string | null;
  readonly createdAt: string;
}

export const outgoingMails = plainRecord<OutgoingMail, OutgoingMailEvent>()({
  category: 'outgoingMail',
  auditedFor: 'site.users',
  shownBy: 'site/listOutgoingMail',
  of: { project: 'projectId' },
  undoing: 'Past events cannot be undone; getStateAt returns the earlier state.',
  missing: () => refuse('site-mail-not-found'),
  collection: { name: 'outgoingMails', version: 1, indexes: [{ fields: ['projectId'] }] },
  begins: { OutgoingMailBegun: { noticedAt: null } },
  ends: ['OutgoingMailForgotten'],
  also: {
    OutgoingMailNoticed: (_, { metadata }) => ({ noticedAt: metadata.at }),
    OutgoingMailRead: () => ({}),
  },
});
