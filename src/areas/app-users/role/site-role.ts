import { derivedId } from '../../../kernel/event/derived-id.js';
import { differing } from '../../../kernel/record/differing.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { roleNameKey, type SiteRole, type SiteRoleEvent } from './site-role.record.js';

/** Every project has this role (Sites API, Authentication 3). */
export const superAdmin = 'app-super-admin';

/** The same for everybody who makes it at once. */
export const superAdminIdOf = (workspaceId: string, projectId: string): string =>
  derivedId('role', `${workspaceId}/${projectId}/${superAdmin}`);

export interface NewRole {
  readonly projectId: string;
  readonly name: string;
  readonly color?: string;
  readonly isLegacy?: boolean;
}

/** @throws Refusal role-name-taken */
export function createRole({ projectId, name, color, isLegacy = false }: NewRole): readonly SiteRoleEvent[] {
  mustNotBeReserved(name);
  const facts = { projectId, name, color: color ?? null, isLegacy, isReserved: false };
  return [{ type: 'SiteRoleCreated', data: facts }];
}

/** Nothing where it is there. */
export function createSuperAdmin(role: SiteRole | undefined, projectId: string): readonly SiteRoleEvent[] {
  if (role !== undefined) return [];
  const facts = { projectId, name: superAdmin, color: null, isLegacy: false, isReserved: true };
  return [{ type: 'SiteRoleCreated', data: facts }];
}

/** Settled question Q-S30: the reserved role may change its color. @throws Refusal role-reserved, role-name-taken */
export function updateRole(
  role: SiteRole,
  sent: { readonly name?: string; readonly color?: string | null },
): readonly SiteRoleEvent[] {
  const { name } = sent;
  if (name !== undefined && name !== role.name) {
    if (role.isReserved) refuse('role-reserved', { name: role.name });
    mustNotBeReserved(name);
  }
  const changed = differing(role, sent);
  return changed === undefined ? [] : [{ type: 'SiteRoleUpdated', data: changed }];
}

/** @throws Refusal role-reserved */
export function deleteRole(role: SiteRole): readonly SiteRoleEvent[] {
  if (role.isReserved) refuse('role-reserved', { name: role.name });
  return endRole(role);
}

/** With its project, whichever role it is. */
export function endRole({ projectId }: SiteRole): readonly SiteRoleEvent[] {
  return [{ type: 'SiteRoleDeleted', data: { projectId } }];
}

/** Every project has it, whether or not it is recorded by now. */
function mustNotBeReserved(name: string): void {
  if (roleNameKey(name) === superAdmin) refuse('role-name-taken', { name });
}
