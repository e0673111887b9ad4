import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../app-users.refusals.js';

export interface SocialAccountFacts {
  readonly projectId: string;
  readonly userId: string;
  readonly provider: string;
}

export type SocialAccountEvent =
  | DomainEvent<'SocialAccountJoined', SocialAccountFacts>
  | DomainEvent<'SocialAccountLeft', { readonly projectId: string }>;

/** The id is a keyed digest of the account, so the record does not identify the person at the provider. */
export interface SocialAccount extends Document, SocialAccountFacts {
  readonly createdAt: string;
}

export const socialAccounts = plainRecord<SocialAccount, SocialAccountEvent>()({
  category: 'socialAccount',
  auditedFor: 'site.users',
  shownBy: 'site/getAppUser',
  of: { project: 'projectId', appUser: 'userId' },
  undoing: 'The user can sign in with the provider again.',
  missing: () => refuse('app-user-not-found'),
  collection: { name: 'socialAccounts', version: 1, indexes: [{ fields: ['projectId'] }, { fields: ['userId'] }] },
  begins: { SocialAccountJoined: {} },
  ends: ['SocialAccountLeft'],
  also: {},
});

export const leaveSocialAccount = ({ projectId }: SocialAccount): readonly SocialAccountEvent[] => [
  { type: 'SocialAccountLeft', data: { projectId } },
];
