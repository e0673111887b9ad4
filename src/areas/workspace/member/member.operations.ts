import { success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { resource } from '../../../engine/records/resource.js';
import { shapeOf } from '../../../kernel/field/field.js';
import { EndingKeys } from '../api-key/ending-keys.api.js';
import { roleOf } from '../rank.js';
import { refuse } from '../workspace.refusals.js';
import { addMember, removeMember, takesRights, updateMember } from './member.js';
import { type Member, type MemberEvent, memberEmail, members } from './member.record.js';

const member = resource(members, {
  source: 'Supplementary, workspace',
  group: 'members',
  tools: 'never',
  reads: 'workspace.read',
  edits: 'members.manage',
  id: 'mem',
  answer: { called: 'MemberRecord', dates: [] },
  unique: { name: memberEmail, field: 'email', taken: (email) => refuse('member-email-taken', { email }) },
});

const EndedKey = shapeOf('EndedKeyRecord', {
  id: { type: 'string' },
  name: { type: 'string' },
  kind: { type: 'string' },
});
const endedKeys = {
  type: 'array',
  items: () => EndedKey,
  description:
    'Keys that this change ended: keys of the member, and keys that the member created but may no longer create.',
} as const;

export const memberOperations = [
  member.list('workspace/listMembers', {
    summary: 'Lists the members of the workspace: the Owner first, then the others in the order in which they joined.',
    tools: 'granted',
    as: 'members',
  }),
  member.create('workspace/addMember', {
    summary: "Adds a member. The role cannot be above the caller's own.",
    decide: (sent, call) => addMember(sent, roleOf(call)),
  }),
  member.update('workspace/updateMember', {
    summary: 'Updates a member. Only the Owner can change the Owner, whose role is fixed.',
    takesAway: takesAwayWhen<Member, MemberEvent>(takesRights),
    answers: { record: member.shapeWith('UpdatedMember', { endedKeys }) },
    inject: [EndingKeys],
    // Looks up, before the change, which keys a lower role will end, because the response lists them.
    prepare: async ({ id, role }, { workspaceId, at }, keys) =>
      role === undefined ? [] : keys.endingWith(workspaceId, id, role, at),
    decide: (before, sent, call) => updateMember(before, sent, roleOf(call)),
    answer: (_, ended) => ({ endedKeys: ended }),
  }),
  // The member's keys, and those that the member created, stop working when the member is removed. A saga then revokes
  // each of them.
  member.remove('workspace/removeMember', {
    summary:
      "Removes a member. The member's keys, and those the member created, stop working immediately. The Owner cannot be removed.",
    answers: { fields: { ...success.fields, endedKeys } },
    inject: [EndingKeys],
    prepare: ({ id }, { workspaceId, at }, keys) => keys.endingWith(workspaceId, id, undefined, at),
    decide: (before, call) => removeMember(before, roleOf(call)),
    answer: (ended) => ({ success: true, endedKeys: ended }),
  }),
];
