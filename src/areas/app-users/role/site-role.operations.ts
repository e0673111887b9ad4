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
    id: 'The roleId of has_role rules.',
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
  input: { userId: idField, roleId: { ...idField, description: 'Of the same project as the user.' } },
  inject: [AssignedRoles],
} as const;

export const roleOperations = [
  command('site/listProjectRoles', {
    ...changes,
    summary: 'Lists the roles of a project, after making the reserved one and those of legacy users where they lack.',
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
    summary: 'Creates a role that users of a project can have.',
    decide: createRole,
  }),
  role.update('site/updateProjectRole', { summary: 'Updates a role; users who have it keep it.', decide: updateRole }),
  role.remove('site/deleteProjectRole', {
    summary: 'Deletes a role and takes it from all users; rules that name it let nobody in by it any more.',
    decide: deleteRole,
  }),
  command('site/assignRoleToAppUser', {
    ...oneRoleOfUser,
    summary: 'Gives a user of a site a role; nothing happens where the user has it.',
    handle: async ({ userId, roleId }, call, assigned) => {
      await assigned.assign(call, userId, roleId);
      return { success: true };
    },
  }),
  command('site/unassignRoleFromAppUser', {
    ...oneRoleOfUser,
    summary: 'Takes a role from a user of a site; nothing happens where the user does not have it.',
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
      // Omits roles that have been deleted.
      return allWithUsers(assigned, await roles.existing(call.workspaceId, projectId, roleIds));
    },
  }),
  command('site/migrateProjectToRoleSystem', {
    ...changes,
    summary: 'Turns the legacy roles of users into roles, once for every user; repeating it changes nothing.',
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
