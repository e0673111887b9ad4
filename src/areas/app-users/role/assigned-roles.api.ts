import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { Call } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type AppUser, type AppUserEvent, appUsers } from '../app-user/app-user.record.js';
import { assignRole, unassignRole } from '../app-user/user-roles.api.js';
import type { RoleAssignment } from './role-assignment.record.js';
import { type SiteRole, siteRoles } from './site-role.record.js';

const page = 200;
const atOnce = 8;

/** Who has which role. */
@Injectable()
export class AssignedRoles {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
  ) {}

  /** How many users have the role. */
  count(workspaceId: string, roleId: string): Promise<number> {
    return this.reads.count(workspaceId, 'roleAssignments', { roleId });
  }

  /** @throws Refusal role-not-found; app-user-not-found, also for a user of another project */
  assign(call: Call, userId: string, roleId: string): Promise<void> {
    return this.change(call, userId, roleId, assignRole);
  }

  /** @throws Refusal as `assign` */
  unassign(call: Call, userId: string, roleId: string): Promise<void> {
    return this.change(call, userId, roleId, unassignRole);
  }

  /** Takes a role that is gone from whoever has it. May be repeated. */
  async takeFromAll(workspaceId: string, roleId: string, call: (step: string) => Call): Promise<void> {
    for (let after: readonly string[] | undefined; ; ) {
      const found = await this.reads.find<RoleAssignment>(workspaceId, 'roleAssignments', {
        where: { roleId },
        sort: [],
        limit: page,
        ...(after && { after }),
      });
      for (let at = 0; at < found.length; at += atOnce) {
        await Promise.all(found.slice(at, at + atOnce).map(({ userId }) => this.take(call(userId), userId, roleId)));
      }
      const last = found.at(-1);
      if (last === undefined || found.length < page) return;
      after = [last.id];
    }
  }

  /** Takes a role that was assigned while it was being deleted. May be repeated. */
  async takeLate(workspaceId: string, userId: string, roleId: string, call: (step: string) => Call): Promise<void> {
    const role: SiteRole | undefined = await this.runner.find(siteRoles, workspaceId, roleId);
    if (role === undefined) await this.take(call(userId), userId, roleId);
  }

  private async change(
    call: Call,
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

  private async take(call: Call, userId: string, roleId: string): Promise<void> {
    await this.runner.change(call, {
      aggregate: appUsers,
      id: userId,
      begins: 'perhaps',
      decide: (user) => (user === undefined ? [] : unassignRole(user, roleId)),
    });
  }
}
