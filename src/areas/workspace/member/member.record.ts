import { uniqueName } from '../../../engine/commands/reservation.js';
import { grantablePermissions, type Permission, type Role } from '../../../kernel/callers/caller.js';
import { emailField } from '../../../kernel/field/plain-text.js';
import { field, fieldOf, name } from '../../../kernel/noun/fields.js';
import { noun } from '../../../kernel/noun/noun.js';
import type { CreateInput, NounEvents, RecordOf, UpdateInput } from '../../../kernel/noun/noun-types.js';
import { refuse } from '../workspace.refusals.js';

export const formerMember = 'A former member';

const fields = {
  name: name().personal(formerMember),
  email: field(emailField)
    .fixed()
    .personal('erased')
    .shownAs({ type: 'string' })
    .describe({ sent: 'Unique in the workspace.' }),
  /** Callers cannot set the role Owner. The only Owner is created with the workspace. */
  role: fieldOf<Role>()({ type: 'string', enum: ['admin', 'editor', 'viewer'] }).shownAs({
    type: 'string',
    enum: ['owner', 'admin', 'editor', 'viewer'],
  }),
  permissions: fieldOf<readonly Permission[]>()({
    type: 'array',
    items: 'string',
    enum: grantablePermissions,
    maxItems: 50,
  })
    .initially([])
    .describe({ sent: 'Permissions in addition to those of the role. Replaces the whole list.' }),
};

const events = { created: 'MemberAdded', changed: 'MemberUpdated', deleted: 'MemberRemoved' } as const;

export type MemberEvent = NounEvents<typeof fields, typeof events>;
export type NewMember = CreateInput<typeof fields>;
export type MemberInput = UpdateInput<typeof fields>;
export interface Member extends RecordOf<typeof fields> {}

export const members = noun<Member, MemberEvent>()({
  kind: 'member',
  fields,
  events,
  auditedFor: 'workspace.read',
  shownBy: 'workspace/listMembers',
  limited: true,
  undoing: {
    sets: ['workspace/updateMember'],
    ends: 'workspace/removeMember',
    gone: 'The data of a removed member is erased; add the member again.',
  },
  missing: () => refuse('member-not-found'),
  collection: { name: 'members', version: 2, indexes: [{ fields: ['workspaceId', 'createdAt'] }] },
});

const email = uniqueName('memberEmail', members, (member: Member) => member.email.toLowerCase(), {
  personal: 'plain before',
});
export const memberEmail = (address: string, holder: string) => email(address.toLowerCase(), holder);
