import { expect, test } from '@jest/globals';
import type { Member } from '../member/member.record.js';
import { usedUp } from './used-up.js';

const owner = { name: 'Ada', role: 'owner' } as const;
const admins = (count: number) =>
  Array.from({ length: count }, (_, at): Pick<Member, 'name' | 'role'> => ({ name: `Admin ${at + 1}`, role: 'admin' }));

test.each([
  [[owner], 'Ada (Owner)'],
  [[...admins(1), owner], 'Ada (Owner) or Admin 1 (Admin)'],
  [[owner, { name: 'Eve', role: 'editor' } as const, ...admins(2)], 'Ada (Owner), Admin 1 (Admin) or Admin 2 (Admin)'],
])('%j: ask %s', (members, who) => {
  expect(usedUp(members)).toMatch(new RegExp(`nothing was charged\\. .* ask ${who.replace(/[()]/g, '\\$&')}\\.$`));
});

test.each([
  [6, '1 more Admin'],
  [9, '4 more Admins'],
])('of %d Admins five are named, and %s', (count, rest) => {
  const said = usedUp([owner, ...admins(count)]);
  expect(said).toContain(`Admin 5 (Admin) or ${rest}.`);
  expect(said).not.toContain('Admin 6 ');
});
