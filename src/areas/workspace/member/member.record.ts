import { uniqueName } from '../../../engine/commands/reservation.js';
import type { Permission, Role } from '../../../kernel/callers/caller.js';
import type { DomainEvent } from '../../../kernel/event/event.js';
import { plainRecord } from '../../../kernel/record/plain-record.js';
import type { Document } from '../../../kernel/record/projection.js';
import { refuse } from '../../../kernel/refusals/refusal.js';

interface MemberFacts {
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  /** Rights in addition to those of the role. */
  readonly permissions: readonly Permission[];
}

export type MemberEvent =
  | DomainEvent<'MemberAdded', MemberFacts>
  | DomainEvent<'MemberUpdated', Partial<Omit<MemberFacts, 'email'>>>
  | DomainEvent<'MemberRemoved', object>;

export interface Member extends Document, MemberFacts {
  readonly createdAt: string;
}

export const members = plainRecord<Member, MemberEvent>()({
  category: 'member',
  auditedFor: 'workspace.read',
  shownBy: 'workspace/listMembers',
  limited: true,
  personal: { name: 'A former member', email: 'erased' },
  undoing: {
    sets: ['workspace/updateMember'],
    ends: 'workspace/removeMember',
    gone: 'Who was removed is forgotten; add the member again.',
  },
  missing: () => refuse('member-not-found'),
  collection: { name: 'members', version: 2, indexes: [{ fields: ['workspaceId', 'createdAt'] }] },
  begins: { MemberAdded: {} },
  merges: ['MemberUpdated'],
  ends: ['MemberRemoved'],
  also: {},
});

/** An email address belongs to at most one member of a workspace, regardless of upper and lower case. */
const email = uniqueName('memberEmail', members, (member: Member) => member.email.toLowerCase(), {
  personal: 'plain before',
});
export const memberEmail = (address: string, holder: string) => email(address.toLowerCase(), holder);
