import { command, query } from '../../../engine/operation/bound-operation.js';
import { success } from '../../../engine/operation/operation.js';
import { resource } from '../../../engine/records/resource.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { appUsers } from '../app-user/app-user.record.js';
import { refuse } from '../app-users.refusals.js';
import { AssignedRoles } from './assigned-roles.api.js';
import { LegacyRoles } from './legacy-roles.js';
import { createRole, deleteRole, updateRole } from './site-role.js';
import { reservedRoleName, type SiteRole, siteRoles } from './site-role.record.js';
import { SiteRoles } from './site-roles.api.js';

const declared = { source: 'Sites API, App users and roles', group: 'roles' } as const;
const changes = { ...declared, permission: 'site.edit', tools: 'granted' } as const;
const inProject = { projectId: idField };

const withUsers = async (assigned: AssignedRoles, role: SiteRole) => ({
  ...role,
  assignedUserCount: await assigned.count(role.workspaceId, role.id),
});
const allWithUsers = (assigned: AssignedRoles, roles: readonly SiteRole[]) =>
  Promise.all(roles.map((role) => withUsers(assigned, role)));

const role = resource(siteRoles, {
  ...declared,
  tools: 'granted',
  reads: 'site.read',
  edits: 'site.edit',
  id: 'role',
  named: 'roleId',
  answer: {
    called: 'RoleRow',
    id: 'The roleId that has_role rules refer to.',
    also: { assignedUserCount: { type: 'integer' }, createdAt: { type: 'string' } },
    dates: [],
  },
  inject: [AssignedRoles],
  beside: (one, _, assigned) => withUsers(assigned, one),
  unique: {
    name: reservedRoleName,
    field: 'name',
    in: 'project',
    taken: (name) => refuse('role-name-taken', { name }),
  },
});

const oneRoleOfUser = {
  ...changes,
  tools: 'agents',
  answers: success,
  input: { userId: idField, roleId: { ...idField, description: "A role of the user's project." } },
  inject: [AssignedRoles],
} as const;

export const roleOperations = [
  command('site/listProjectRoles', {
    ...changes,
    summary:
      "Lists the roles of a project. First creates the reserved role and roles for users' legacy roles, if they are missing.",
    within: 'project',
    answers: { list: role.shape },
    input: inProject,
    inject: [SiteRoles, LegacyRoles, AssignedRoles],
    handle: async ({ projectId }, call, roles, legacy, assigned) => {
      await legacy.migrate(call, projectId);
      return allWithUsers(assigned, await roles.rolesOf(call.workspaceId, projectId));
    },
  }),
  role.create('site/createProjectRole', {
    summary: 'Creates a role for users of a project.',
    decide: createRole,
  }),
  role.update('site/updateProjectRole', {
    summary: 'Updates a role. Users who have the role keep it.',
    decide: updateRole,
  }),
  role.remove('site/deleteProjectRole', {
    summary: 'Deletes a role and removes it from all users. has_role rules that refer to it no longer match anyone.',
    decide: deleteRole,
  }),
  command('site/assignRoleToAppUser', {
    ...oneRoleOfUser,
    summary: 'Assigns a role to a user of a site. Has no effect if the user already has the role.',
    handle: async ({ userId, roleId }, call, assigned) => {
      await assigned.assign(call, userId, roleId);
      return { success: true };
    },
  }),
  command('site/unassignRoleFromAppUser', {
    ...oneRoleOfUser,
    summary: 'Removes a role from a user of a site. Has no effect if the user does not have the role.',
    takesAway: true,
    handle: async ({ userId, roleId }, call, assigned) => {
      await assigned.unassign(call, userId, roleId);
      return { success: true };
    },
  }),
  query('site/getAppUserRoles', {
    ...declared,
    summary: 'Lists the roles that a user of a site has.',
    permission: 'site.users',
    tools: 'agents',
    answers: { list: role.shape },
    input: { userId: idField },
    inject: [Reads, SiteRoles, AssignedRoles],
    handle: async ({ userId }, call, reads, roles, assigned) => {
      const { projectId, roleIds } = await reads.one(call, appUsers, userId);
      return allWithUsers(assigned, await roles.existing(call.workspaceId, projectId, roleIds));
    },
  }),
  command('site/migrateProjectToRoleSystem', {
    ...changes,
    summary: 'Migrates the legacy roles of all users to roles of the project. Idempotent.',
    within: 'project',
    answers: success,
    input: inProject,
    inject: [LegacyRoles],
    handle: async ({ projectId }, call, legacy) => {
      await legacy.migrate(call, projectId);
      return { success: true };
    },
  }),
];
