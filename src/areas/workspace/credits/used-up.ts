import type { Member } from '../member/member.record.js';

const namedAdmins = 5;

export function usedUp(members: readonly Pick<Member, 'name' | 'role'>[]): string {
  const owners = members.filter(({ role }) => role === 'owner').map(({ name }) => `${name} (Owner)`);
  const admins = members.filter(({ role }) => role === 'admin').map(({ name }) => `${name} (Admin)`);
  const unnamed = admins.length - namedAdmins;
  const who = [
    ...owners,
    ...admins.slice(0, namedAdmins),
    ...(unnamed > 0 ? [`${unnamed} more ${unnamed === 1 ? 'Admin' : 'Admins'}`] : []),
  ];
  const last = who.at(-1) ?? 'the Owner';
  const list = who.length < 2 ? last : `${who.slice(0, -1).join(', ')} or ${last}`;
  return `The AI credits of this workspace are used up; nothing was generated and nothing was charged. To have more added, ask ${list}.`;
}
