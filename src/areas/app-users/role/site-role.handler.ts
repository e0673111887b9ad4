import { CommandHandler, QueryHandler } from '@nestjs/cqrs';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { inProject } from '../../../engine/commands/reservation.js';
import type { WantedName } from '../../../engine/commands/reservation-requests.js';
import { callOf } from '../../../engine/operation/call.js';
import { shown } from '../../../engine/operation/shown.js';
import { creates, type UniqueField } from '../../../engine/records/record-operations.js';
import { decides, does } from '../../../engine/records/rule.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { appUsers } from '../app-user/app-user.record.js';
import { AssignedRoles } from './assigned-roles.api.js';
import { LegacyRoles } from './legacy-roles.js';
import { createRole, deleteRole, updateRole } from './site-role.js';
import {
  AssignRoleToAppUser,
  CreateProjectRole,
  DeleteProjectRole,
  GetAppUserRoles,
  ListProjectRoles,
  MigrateProjectToRoleSystem,
  RoleRow,
  UnassignRoleFromAppUser,
  UpdateProjectRole,
} from './site-role.operations.js';
import { reservedRoleName, type SiteRole, type SiteRoleEvent, siteRoles } from './site-role.record.js';
import { SiteRoles } from './site-roles.api.js';

const unique: UniqueField<SiteRole> = {
  name: reservedRoleName,
  field: 'name',
  in: 'project',
  taken: (name) => refuse('role-name-taken', { name }),
};

@CommandHandler(ListProjectRoles)
export class ListProjectRolesHandler {
  constructor(
    private readonly roles: SiteRoles,
    private readonly legacy: LegacyRoles,
    private readonly assigned: AssignedRoles,
  ) {}

  async execute(input: ListProjectRoles): Promise<readonly RoleRow[]> {
    const call = callOf(input);
    await this.legacy.migrate(call, input.projectId);
    return rows(this.assigned, await this.roles.of(call.workspaceId, input.projectId));
  }
}

@CommandHandler(UpdateProjectRole)
export class UpdateProjectRoleHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly assigned: AssignedRoles,
  ) {}

  async execute(input: UpdateProjectRole): Promise<RoleRow> {
    const { roleId: id, ...sent } = input;
    const { name } = sent;
    const call = callOf(input);
    const holder = streamOf(siteRoles.category, call.workspaceId, id);
    const after = await this.runner.change(call, {
      aggregate: siteRoles,
      id,
      decide: (role) => updateRole(role ?? siteRoles.missing(), sent),
      reserves: (role): readonly WantedName[] => {
        if (role === undefined || name === undefined || name === role.name) return [];
        const reservation = reservedRoleName(inProject(role.projectId, name), holder);
        return [{ reservation, taken: () => unique.taken(name) }];
      },
    });
    return row(this.assigned, after ?? siteRoles.missing());
  }
}

/** Only roles that the project has. */
@QueryHandler(GetAppUserRoles)
export class GetAppUserRolesHandler {
  constructor(
    private readonly reads: Reads,
    private readonly roles: SiteRoles,
    private readonly assigned: AssignedRoles,
  ) {}

  async execute(input: GetAppUserRoles): Promise<readonly RoleRow[]> {
    const call = callOf(input);
    const { projectId, roleIds } = await this.reads.one(call, appUsers, input.userId);
    return rows(this.assigned, await this.roles.existing(call.workspaceId, projectId, roleIds));
  }
}

const rows = (assigned: AssignedRoles, roles: readonly SiteRole[]) =>
  Promise.all(roles.map((role) => row(assigned, role)));

async function row(assigned: AssignedRoles, role: SiteRole): Promise<RoleRow> {
  return shown(RoleRow, { ...role, assignedUserCount: await assigned.count(role.workspaceId, role.id) });
}

export const roleHandlers = [
  ListProjectRolesHandler,
  UpdateProjectRoleHandler,
  GetAppUserRolesHandler,
  creates(CreateProjectRole, siteRoles, {
    prefix: 'role',
    unique,
    decide: createRole,
    shows: RoleRow,
    beside: () => ({ assignedUserCount: 0 }),
  }),
  decides<DeleteProjectRole, SiteRole | undefined, SiteRoleEvent>(DeleteProjectRole, {
    aggregate: siteRoles,
    id: ({ roleId }) => roleId,
    decide: (role) => deleteRole(role ?? siteRoles.missing()),
  }),
  does(AssignRoleToAppUser, AssignedRoles, async (assigned, { userId, roleId }, call) => {
    await assigned.assign(call, userId, roleId);
    return { success: true };
  }),
  does(UnassignRoleFromAppUser, AssignedRoles, async (assigned, { userId, roleId }, call) => {
    await assigned.unassign(call, userId, roleId);
    return { success: true };
  }),
  does(MigrateProjectToRoleSystem, LegacyRoles, async (legacy, { projectId }, call) => {
    await legacy.migrate(call, projectId);
    return { success: true };
  }),
];
