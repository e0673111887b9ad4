import { describe, test } from '@jest/globals';
import { given } from '../../../../test/support/given/given.js';
import { addMember, removeMember, updateMember } from './member.js';
import { type MemberEvent, members } from './member.record.js';

const added = (role: 'owner' | 'admin' | 'editor' | 'viewer', permissions: 'audit.read'[] = []): MemberEvent => ({
  type: 'MemberAdded',
  data: { name: 'Grace', email: 'grace@example.com', role, permissions },
});
const wanted = { name: 'Linus', email: 'linus@example.com' } as const;

describe('adding a member', () => {
  test('records what was sent, and no right beyond the role', () => {
    given()
      .when(addMember, { ...wanted, role: 'editor' }, 'admin')
      .emits({ type: 'MemberAdded', data: { ...wanted, role: 'editor', permissions: [] } });
  });

  test('records each granted right once', () => {
    given()
      .when(
        addMember,
        { ...wanted, role: 'viewer', permissions: ['site.publish', 'audit.read', 'site.publish'] },
        'owner',
      )
      .emits({ type: 'MemberAdded', data: { ...wanted, role: 'viewer', permissions: ['site.publish', 'audit.read'] } });
  });

  test("gives nobody a role above the caller's", () => {
    given()
      .when(addMember, { ...wanted, role: 'admin' }, 'editor')
      .refuses('role-above-own');
    given()
      .when(addMember, { ...wanted, role: 'owner' }, 'admin')
      .refuses('role-above-own');
  });

  test('an Admin can add an Admin', () => {
    given()
      .when(addMember, { ...wanted, role: 'admin' }, 'admin')
      .emits({ type: 'MemberAdded', data: { ...wanted, role: 'admin', permissions: [] } });
  });
});

describe('changing a member', () => {
  test('records only differences', () => {
    given(members, [added('viewer')])
      .when(updateMember, { name: 'Grace', role: 'editor', permissions: ['audit.read'] }, 'admin')
      .emits({ type: 'MemberUpdated', data: { role: 'editor', permissions: ['audit.read'] } });
  });

  test('has no effect without a change', () => {
    given(members, [added('editor', ['audit.read'])])
      .when(updateMember, { name: 'Grace', role: 'editor', permissions: ['audit.read'] }, 'admin')
      .emitsNothing();
  });

  test('removes rights if they are sent without them', () => {
    given(members, [added('editor', ['audit.read'])])
      .when(updateMember, { permissions: [] }, 'admin')
      .emits({ type: 'MemberUpdated', data: { permissions: [] } });
  });

  test('an Admin can demote another Admin', () => {
    given(members, [added('admin')])
      .when(updateMember, { role: 'viewer' }, 'admin')
      .emits({ type: 'MemberUpdated', data: { role: 'viewer' } });
  });

  test('nobody can raise a member above themselves', () => {
    given(members, [added('viewer')])
      .when(updateMember, { role: 'admin' }, 'editor')
      .refuses('role-above-own');
  });

  test('only the Owner can change the Owner', () => {
    given(members, [added('owner')])
      .when(updateMember, { name: 'Mallory' }, 'admin')
      .refuses('member-above-own-role');
    given(members, [added('owner')])
      .when(updateMember, { name: 'Rear Admiral' }, 'owner')
      .emits({ type: 'MemberUpdated', data: { name: 'Rear Admiral' } });
  });

  test('the Owner remains the Owner', () => {
    given(members, [added('owner')])
      .when(updateMember, { role: 'admin' }, 'owner')
      .refuses('owner-stays');
  });
});

describe('removing a member', () => {
  test('an Admin can remove another Admin', () => {
    given(members, [added('admin')])
      .when(removeMember, 'admin')
      .emits({ type: 'MemberRemoved', data: {} });
  });

  test('nobody can remove the Owner', () => {
    given(members, [added('owner')])
      .when(removeMember, 'owner')
      .refuses('owner-stays');
    given(members, [added('owner')])
      .when(removeMember, 'admin')
      .refuses('member-above-own-role');
  });
});
