import { describe, expect, it } from '@jest/globals';
import { given, stateOf } from '../../../../test/support/given/given.js';
import { createRole, createSuperAdmin, deleteRole, superAdminIdOf, updateRole } from './site-role.js';
import { roleNameKey, type SiteRoleEvent, siteRoles } from './site-role.record.js';

const projectId = 'proj_1';
const staff = createRole({ projectId, name: 'Staff' });
const superAdmin = createSuperAdmin(undefined, projectId);

describe('a role', () => {
  it('is made with its name, without a color unless one is sent', () => {
    expect(stateOf(siteRoles, staff)).toMatchObject({ name: 'Staff', color: null, isReserved: false, isLegacy: false });
    expect(stateOf(siteRoles, createRole({ projectId, name: 'S', color: '#1a73e8' }))).toMatchObject({
      color: '#1a73e8',
    });
  });

  it.each(['app-super-admin', ' App-Super-Admin ', 'ＡPP-SUPER-ADMIN'.normalize('NFKC')])(
    'cannot have the reserved name in another spelling: %j',
    (name) => {
      given().when(createRole, { projectId, name }).refuses('role-name-taken');
      given(siteRoles, staff).when(updateRole, { name }).refuses('role-name-taken');
    },
  );

  it.each(['user', 'Admin', ' USER '])('cannot have a legacy role as its name (%j), but old ones keep it', (name) => {
    given().when(createRole, { projectId, name }).refuses('role-name-legacy');
    given(siteRoles, staff).when(updateRole, { name }).refuses('role-name-legacy');
    const migrated = createRole({ projectId, name, isLegacy: true });
    given(siteRoles, migrated)
      .when(updateRole, { name, color: '#fff' })
      .emits({ type: 'SiteRoleUpdated', data: { color: '#fff' } });
  });

  it('changes sent fields, and records nothing without a change', () => {
    given(siteRoles, staff).when(updateRole, { name: 'Staff', color: null }).emitsNothing();
    given(siteRoles, staff)
      .when(updateRole, { name: 'Crew', color: '#fff' })
      .emits({ type: 'SiteRoleUpdated', data: { name: 'Crew', color: '#fff' } });
  });

  it('is deleted', () => {
    given(siteRoles, staff)
      .when(deleteRole)
      .emits(expect.objectContaining({ type: 'SiteRoleDeleted' }) as unknown as SiteRoleEvent);
  });
});

describe('the reserved role', () => {
  it('is created if it is missing, with one id in each project', () => {
    expect(stateOf(siteRoles, superAdmin)).toMatchObject({ name: 'app-super-admin', isReserved: true });
    given(siteRoles, superAdmin).when(createSuperAdmin, projectId).emitsNothing();
    expect(superAdminIdOf('ws_1', 'proj_1')).toBe(superAdminIdOf('ws_1', 'proj_1'));
    expect(superAdminIdOf('ws_1', 'proj_1')).not.toBe(superAdminIdOf('ws_1', 'proj_2'));
  });

  it('keeps its name and cannot be deleted; only its color changes (Q-S30)', () => {
    given(siteRoles, superAdmin).when(updateRole, { name: 'Boss' }).refuses('role-reserved');
    given(siteRoles, superAdmin).when(deleteRole).refuses('role-reserved');
    given(siteRoles, superAdmin)
      .when(updateRole, { name: 'app-super-admin', color: '#000' })
      .emits({ type: 'SiteRoleUpdated', data: { color: '#000' } });
  });
});

it.each([
  ['Staff', 'sTAFF'],
  ['Ärzte', 'ärzte'],
  ['Ωmega', 'ωMEGA'],
  ['Café', 'Cafe\u0301'],
  ['two words', '  two   words '],
])('the names %j and %j are equal', (one, other) => {
  expect(roleNameKey(one)).toBe(roleNameKey(other));
});
