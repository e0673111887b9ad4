import type { Dependent } from '../../../engine/ownership/dependents.js';
import { type AppUser, type AppUserEvent, appUsers } from '../app-user/app-user.record.js';
import { unassignRole } from '../app-user/user-roles.api.js';

/** A deleted role stops admitting users at once. This removes it from the users who had it. */
export const holdingRole: Dependent<AppUser, AppUserEvent> = {
  kind: appUsers,
  owner: 'siteRole',
  listed: { collection: 'roleAssignments', fields: ['roleId'], id: 'userId' },
  made: ['AppUserRoleAssigned'],
  end: (user, { id: roleId }) => unassignRole(user, roleId),
};
