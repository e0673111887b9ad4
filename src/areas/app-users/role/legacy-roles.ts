import { Injectable } from '@nestjs/common';
import type { Change } from '../../../engine/commands/change.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { inProject } from '../../../engine/commands/reservation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { type Page, type PageEvent, pages } from '../../sites/page/page.record.js';
import { type AppUser, type AppUserEvent, appUsers } from '../app-user/app-user.record.js';
import { migrateRole } from '../app-user/user-roles.api.js';
import { refuse } from '../app-users.refusals.js';
import { createRole, superAdmin } from './site-role.js';
import { reservedRoleName, roleNameKey, siteRoles } from './site-role.record.js';
import { SiteRoles } from './site-roles.api.js';

const page = 200;
const tries = 5;

/** Migrates the legacy roles of users, which are texts, to roles of the project (Q-S31). */
@Injectable()
export class LegacyRoles {
  constructor(
    private readonly reads: Reads,
    private readonly runner: CommandRunner,
    private readonly roles: SiteRoles,
  ) {}

  /** Idempotent, even if several processes run it concurrently. */
  async migrate(call: OperationContext, projectId: string): Promise<void> {
    await this.migrateUsers(call, projectId);
    const { workspaceId } = call;
    const found = await this.reads.find<Page>(workspaceId, pages.collection.name, { where: { projectId } });
    for (const page of found) await this.migratePage(call, page);
  }

  private async migrateUsers(call: OperationContext, projectId: string): Promise<void> {
    const { id: superAdminId } = await this.roles.superAdmin(call, projectId);
    const known = new Map([
      ['admin', superAdminId],
      [superAdmin, superAdminId],
    ]);
    for (let after: readonly string[] | undefined; ; ) {
      const found = await this.reads.find<AppUser>(call.workspaceId, appUsers.collection.name, {
        where: { projectId, hasRoleToMigrate: true },
        sort: [],
        limit: page,
        ...(after && { after }),
      });
      for (const { role } of found) {
        if (role !== null && !known.has(role)) known.set(role, await this.roleNamed(call, projectId, role));
      }
      await this.runner.changeAll(
        call,
        found.map(({ id }) => migrating(id, known)),
      );
      const last = found.at(-1);
      if (last === undefined || found.length < page) return;
      after = [last.id];
    }
  }

  /**
   * The text `user` becomes `null`, which means any signed-in user. If no role matches, the text remains, and the page
   * admits no one.
   */
  private async migratePage(call: OperationContext, { id, projectId, requiredRole: text }: Page): Promise<void> {
    if (text === null) return;
    const requiredRole = await this.roles.meant(call, projectId, text);
    if (requiredRole === undefined || requiredRole === text) return;
    await this.runner.change<Page | undefined, PageEvent>(call, {
      aggregate: pages,
      id,
      begins: 'perhaps',
      decide: (page) =>
        page?.requiredRole === text
          ? [{ type: 'PageUpdated', data: { projectId, requiredRole, message: 'Turned the legacy role into a role.' } }]
          : [],
    });
  }

  private async roleNamed(call: OperationContext, projectId: string, name: string): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      const roles = await this.roles.rolesOf(call.workspaceId, projectId);
      const found = roles.find((role) => roleNameKey(role.name) === roleNameKey(name));
      if (found !== undefined) return found.id;
      try {
        return await this.make(call, projectId, name);
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'role-name-taken' || attempt === tries) throw error;
      }
    }
  }

  private async make(call: OperationContext, projectId: string, name: string): Promise<string> {
    const id = call.newId('role');
    await this.runner.change(call, {
      aggregate: siteRoles,
      id,
      begins: true,
      decide: () => createRole({ projectId, name, isLegacy: true }),
      reserves: () => [
        {
          reservation: reservedRoleName(inProject(projectId, name), streamOf(siteRoles.category, call.workspaceId, id)),
          taken: () => refuse('role-name-taken', { name }),
        },
      ],
    });
    return id;
  }
}

const migrating = (id: string, known: ReadonlyMap<string, string>): Change<AppUser | undefined, AppUserEvent> => ({
  aggregate: appUsers,
  id,
  begins: 'perhaps',
  decide: (user) => (user === undefined ? [] : migrateRole(user, (role) => known.get(role))),
});
