import { derivedId } from '../../../kernel/event/derived-id.js';
import { refuse } from '../app-users.refusals.js';
import { roleNameKey, type SiteRole, type SiteRoleEvent, siteRoles } from './site-role.record.js';

/** The reserved role that every project has (Sites API, Authentication 3). */
export const superAdmin = 'app-super-admin';

export const superAdminIdOf = (workspaceId: string, projectId: string): string =>
  derivedId('role', `${workspaceId}/${projectId}/${superAdmin}`);

export interface NewRole {
  readonly projectId: string;
  readonly name: string;
  readonly color?: string | null;
  readonly isLegacy?: boolean;
}

/**
 * A role that is created from users' legacy values can have any name, for example `Admin`.
 * @throws Refusal role-name-taken, role-name-legacy
 */
export function createRole(sent: NewRole): readonly SiteRoleEvent[] {
  mustNotBeReserved(sent.name);
  if (sent.isLegacy !== true) mustNotBeLegacy(sent.name);
  return siteRoles.created(sent);
}

export function createSuperAdmin(role: SiteRole | undefined, projectId: string): readonly SiteRoleEvent[] {
  if (role !== undefined) return [];
  return siteRoles.created({ projectId, name: superAdmin, isReserved: true });
}

/**
 * The reserved role cannot be renamed, but its color can be changed (Q-S30).
 * @throws Refusal role-reserved, role-name-taken, role-name-legacy
 */
export function updateRole(
  role: SiteRole,
  sent: { readonly name?: string; readonly color?: string | null },
): readonly SiteRoleEvent[] {
  const { name } = sent;
  if (name !== undefined && name !== role.name) {
    if (role.isReserved) refuse('role-reserved', { name: role.name });
    mustNotBeReserved(name);
    mustNotBeLegacy(name);
  }
  return siteRoles.changed(role, sent);
}

/** @throws Refusal role-reserved */
export function deleteRole(role: SiteRole): readonly SiteRoleEvent[] {
  if (role.isReserved) refuse('role-reserved', { name: role.name });
  return siteRoles.deleted(role);
}

/**
 * Refuses the name of the reserved role. Until that role has been recorded, no reservation protects its name.
 * @throws Refusal role-name-taken
 */
function mustNotBeReserved(name: string): void {
  if (roleNameKey(name) === superAdmin) refuse('role-name-taken', { name });
}

/**
 * Refuses names that `requiredRole` of pages takes for legacy roles. A page that required such a role by its name would
 * admit others.
 * @throws Refusal role-name-legacy
 */
function mustNotBeLegacy(name: string): void {
  if (['user', 'admin'].includes(roleNameKey(name))) refuse('role-name-legacy', { name });
}
