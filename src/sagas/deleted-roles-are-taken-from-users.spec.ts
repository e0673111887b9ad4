import { describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { AssignedRoles } from '../areas/app-users/role/assigned-roles.api.js';
import type { Sites } from '../areas/sites/project/sites.api.js';
import { DeletedRolesAreTakenFromUsers } from './deleted-roles-are-taken-from-users.saga.js';

function given({ siteIsThere = true } = {}) {
  const stage = new Stage();
  const roles = stage.noting<AssignedRoles>({ takeFromAll: 'takes from all', takeLate: 'takes if it is gone' });
  const sites = { has: async () => siteIsThere } as unknown as Sites;
  return givenSaga(new DeletedRolesAreTakenFromUsers(roles, sites), stage);
}
const deleted = of('siteRole', 'role_1', { type: 'SiteRoleDeleted', data: { projectId: 'proj_1' } });

describe('a deleted role', () => {
  it('is taken from whoever has it', () =>
    given()
      .gets(deleted)
      .does(['takes from all', 'ws_spec', 'role_1', expect.any(Function)]));

  it('is taken from a user who got it a moment later', () => {
    const data = { projectId: 'proj_1', roleId: 'role_1' };
    return given()
      .gets(of('appUser', 'usr_1', { type: 'AppUserRoleAssigned', data }))
      .does(['takes if it is gone', 'ws_spec', 'usr_1', 'role_1', expect.any(Function)]);
  });

  it('of a deleted site is left to go with its users', () => given({ siteIsThere: false }).gets(deleted).does());
});
