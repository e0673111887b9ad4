import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type AppUser, type AppUserEvent, appUsers } from '../app-user/app-user.record.js';
import { assignRole, unassignRole } from '../app-user/user-roles.api.js';
import { siteRoles } from './site-role.record.js';

@Injectable()
export class AssignedRoles {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
  ) {}

  count(workspaceId: string, roleId: string): Promise<number> {
    return this.reads.count(workspaceId, 'roleAssignments', { roleId });
  }

  /** @throws Refusal role-not-found; app-user-not-found, also if the user belongs to another project */
  assign(call: OperationContext, userId: string, roleId: string): Promise<void> {
    return this.change(call, userId, roleId, assignRole);
  }

  /** @throws Refusal as `assign` */
  unassign(call: OperationContext, userId: string, roleId: string): Promise<void> {
    return this.change(call, userId, roleId, unassignRole);
  }

  private async change(
    call: OperationContext,
    userId: string,
    roleId: string,
    decide: (user: AppUser, roleId: string) => readonly AppUserEvent[],
  ): Promise<void> {
    const { projectId } = await this.reads.one(call, siteRoles, roleId);
    await this.runner.change(call, {
      aggregate: appUsers,
      id: userId,
      decide: (user) => decide(user?.projectId === projectId ? user : appUsers.missing(), roleId),
    });
  }
}
