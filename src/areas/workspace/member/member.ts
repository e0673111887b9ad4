import { grantablePermissions, type Permission, type Role } from '../../../kernel/callers/caller.js';
import { isAbove } from '../rank.js';
import { refuse } from '../workspace.refusals.js';
import { type Member, type MemberEvent, type MemberInput, members, type NewMember } from './member.record.js';

export function addMember(input: NewMember, by: Role): readonly MemberEvent[] {
  checkRole(input.role, by);
  return members.created({ ...input, permissions: granted(input.permissions ?? []) });
}

export function updateMember(member: Member, input: MemberInput, by: Role): readonly MemberEvent[] {
  checkChangeable(member, by);
  const role = input.role ?? member.role;
  if (role !== member.role) {
    if (member.role === 'owner') refuse('owner-stays');
    checkRole(role, by);
  }
  const permissions = granted(input.permissions ?? member.permissions);
  const before = { ...member, permissions: granted(member.permissions) };
  return members.changed(before, { name: input.name, role, permissions });
}

export function removeMember(member: Member, by: Role): readonly MemberEvent[] {
  checkChangeable(member, by);
  if (member.role === 'owner') refuse('owner-stays');
  return members.deleted(member);
}

export function takesRights(event: MemberEvent, before: Member): boolean {
  if (event.type !== 'MemberUpdated') return false;
  const { role = before.role, permissions = before.permissions } = event.data;
  return isAbove(before.role, role) || before.permissions.some((one) => !permissions.includes(one));
}

/** Admins may change other Admins, and only the Owner may change the Owner. */
function checkChangeable(member: Member, by: Role): void {
  if (isAbove(member.role, by)) refuse('member-above-own-role', { role: member.role });
}

function checkRole(role: Role, by: Role): void {
  if (isAbove(role, by)) refuse('role-above-own', { role, own: by });
}

const granted = (permissions: readonly Permission[]) => grantablePermissions.filter((one) => permissions.includes(one));
