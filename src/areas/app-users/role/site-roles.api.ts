import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { createSuperAdmin, superAdmin, superAdminIdOf } from './site-role.js';
import { roleNameKey, type SiteRole, siteRoles } from './site-role.record.js';

@Injectable()
export class SiteRoles {
  constructor(
    private readonly reads: Reads,
    private readonly runner: CommandRunner,
  ) {}

  /** The reserved role comes first, if it exists, then the others, oldest first. */
  async rolesOf(workspaceId: string, projectId: string): Promise<readonly SiteRole[]> {
    const found = await this.reads.find<SiteRole>(workspaceId, siteRoles.collection.name, {
      where: { projectId },
      sort: [['createdAt', 'asc']],
    });
    return [...found.filter(({ isReserved }) => isReserved), ...found.filter(({ isReserved }) => !isReserved)];
  }

  async namesOf(workspaceId: string, projectId: string): Promise<ReadonlyMap<string, string>> {
    return new Map((await this.rolesOf(workspaceId, projectId)).map(({ id, name }) => [id, name]));
  }

  /** Returns the roles in the order of `ids`, without duplicates. */
  async existing(workspaceId: string, projectId: string, ids: readonly string[]): Promise<readonly SiteRole[]> {
    const found = await Promise.all(
      [...new Set(ids)].map((id) => this.reads.get<SiteRole>(workspaceId, siteRoles.collection.name, id)),
    );
    return found.filter((role): role is SiteRole => role?.projectId === projectId);
  }

  /**
   * Finds the role that `text` names by id, name or legacy role, and returns its id. Returns `null` for the legacy role
   * `user`, which means any signed-in user, and undefined if no role matches (Q-S31, Q-S32). Creates the reserved role
   * if `text` refers to it.
   */
  async meant(call: OperationContext, projectId: string, text: string): Promise<string | null | undefined> {
    if (text === 'user') return null;
    const key = roleNameKey(text);
    if (text === 'admin' || key === superAdmin) return (await this.superAdmin(call, projectId)).id;
    const roles = await this.rolesOf(call.workspaceId, projectId);
    return (roles.find(({ id }) => id === text) ?? roles.find(({ name }) => roleNameKey(name) === key))?.id;
  }

  /** Creates the role if it does not exist. */
  async superAdmin(call: OperationContext, projectId: string): Promise<SiteRole> {
    const id = superAdminIdOf(call.workspaceId, projectId);
    const before = await this.reads.get<SiteRole>(call.workspaceId, siteRoles.collection.name, id);
    if (before !== undefined) return before;
    const made = await this.runner.change(call, {
      aggregate: siteRoles,
      id,
      begins: 'perhaps',
      decide: (role) => createSuperAdmin(role, projectId),
    });
    return made ?? siteRoles.missing();
  }
}
