import { Field } from '../../../engine/operation/field.js';
import { Operation, success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { emailField, idField, nameField } from '../../../engine/operation/plain-text.js';
import { creates, lists } from '../../../engine/records/record-operations.js';
import { grantablePermissions, type Permission, type Role } from '../../../kernel/callers/caller.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import type { EndedKey } from '../api-key/ending-keys.api.js';
import { roleOf } from '../rank.js';
import { addMember, takesRights } from './member.js';
import { type Member, type MemberEvent, memberEmail, members } from './member.record.js';

const source = 'Supplementary, workspace';
/** Nobody can be made Owner: the only one is created with the workspace. */
const roleField = { type: 'string', enum: ['admin', 'editor', 'viewer'] } as const;
const permissionsField = {
  type: 'array',
  items: 'string',
  enum: grantablePermissions,
  maxItems: 50,
  optional: true,
  description: "Rights beyond the role's; replaced whole.",
} as const;

export class MemberRecord {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) email!: string;
  @Field({ type: 'string', enum: ['owner', 'admin', 'editor', 'viewer'] }) role!: Role;
  @Field({ type: 'array', items: 'string', enum: grantablePermissions }) permissions!: readonly Permission[];
}

export class EndedKeyRecord implements EndedKey {
  @Field({ type: 'string' }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) kind!: string;
}

const endedKeysField = {
  type: 'array',
  items: () => EndedKeyRecord,
  description: 'Keys that ended with it: of nobody who is there, or made by somebody who may not make them any more.',
} as const;

export class UpdatedMember extends MemberRecord {
  @Field(endedKeysField) endedKeys!: readonly EndedKeyRecord[];
}

@Operation('workspace/listMembers', {
  summary: 'Lists the members of the workspace, the Owner first and then in the order they joined.',
  source,
  group: 'members',
  effect: 'query',
  permission: 'workspace.read',
  tools: 'granted',
  answers: { fields: { members: { type: 'array', items: () => MemberRecord } } },
})
export class ListMembers {}

@Operation('workspace/addMember', {
  summary: 'Adds a member; nobody gives a role above the own one.',
  source,
  group: 'members',
  effect: 'command',
  permission: 'members.manage',
  tools: 'never',
  answers: { record: MemberRecord },
})
export class AddMember {
  @Field(nameField) name!: string;
  @Field({ ...emailField, description: 'Unique in the workspace.' }) email!: string;
  @Field(roleField) role!: Role;
  @Field(permissionsField) permissions?: Permission[];
}

@Operation('workspace/updateMember', {
  summary: 'Updates a member; only the Owner changes the Owner, who stays the Owner.',
  source,
  group: 'members',
  effect: 'command',
  permission: 'members.manage',
  tools: 'never',
  takesAway: takesAwayWhen<Member, MemberEvent>(takesRights),
  answers: { record: UpdatedMember },
})
export class UpdateMember {
  @Field(idField) id!: string;
  @Field({ ...nameField, optional: true }) name?: string;
  @Field({ ...roleField, optional: true }) role?: Role;
  @Field(permissionsField) permissions?: Permission[];
}

@Operation('workspace/removeMember', {
  summary: 'Removes a member; their keys, and those that they made, end at once. The Owner cannot be removed.',
  source,
  group: 'members',
  effect: 'command',
  permission: 'members.manage',
  tools: 'never',
  takesAway: true,
  answers: { fields: { ...success.fields, endedKeys: endedKeysField } },
})
export class RemoveMember {
  @Field(idField) id!: string;
}

export const memberHandlers = [
  lists(ListMembers, members, { as: 'members', shows: MemberRecord }),
  creates(AddMember, members, {
    prefix: 'mem',
    decide: (input, call) => addMember(input, roleOf(call)),
    unique: { name: memberEmail, field: 'email', taken: (email) => refuse('member-email-taken', { email }) },
    shows: MemberRecord,
  }),
];
