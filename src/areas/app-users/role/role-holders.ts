import type { Dependent } from '../../../engine/ownership/dependents.js';
import { type AppUser, type AppUserEvent, appUsers } from '../app-user/app-user.record.js';
import { unassignRole } from '../app-user/user-roles.api.js';

/**
 * Unassigns a deleted role from its users. The role gives no access even before that, because only existing roles are
 * evaluated.
 */
export const holdingRole: Dependent<AppUser, AppUserEvent> = {
  kind: appUsers,
  owner: 'siteRole',
  listed: { collection: 'roleAssignments', fields: ['roleId'], id: 'userId' },
  made: ['AppUserRoleAssigned'],
  endEvents: (user, { id: roleId }) => unassignRole(user, roleId),
};
