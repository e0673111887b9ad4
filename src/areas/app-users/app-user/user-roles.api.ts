import type { AppUser, AppUserEvent } from './app-user.record.js';

/** Nothing where the user has it. */
export function assignRole({ projectId, roleIds }: AppUser, roleId: string): readonly AppUserEvent[] {
  return roleIds.includes(roleId) ? [] : [{ type: 'AppUserRoleAssigned', data: { projectId, roleId } }];
}

/** Nothing where the user does not have it. */
export function unassignRole({ projectId, roleIds }: AppUser, roleId: string | null): readonly AppUserEvent[] {
  if (roleId === null || !roleIds.includes(roleId)) return [];
  return [{ type: 'AppUserRoleUnassigned', data: { projectId, roleId } }];
}

/** Turns the legacy role into a role, once: what is unassigned later stays so. `roleOf`: undefined where it is not known. */
export function migrateRole(user: AppUser, roleOf: (role: string) => string | undefined): readonly AppUserEvent[] {
  const roleId = user.hasRoleToMigrate && user.role !== null ? roleOf(user.role) : undefined;
  if (roleId === undefined) return [];
  const { projectId } = user;
  return [...assignRole(user, roleId), { type: 'AppUserRoleMigrated', data: { projectId, roleId } }];
}
