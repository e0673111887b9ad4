import type { AppUser, AppUserEvent } from './app-user.record.js';

/** Returns no event if the user already has the role. */
export function assignRole({ projectId, roleIds }: AppUser, roleId: string): readonly AppUserEvent[] {
  return roleIds.includes(roleId) ? [] : [{ type: 'AppUserRoleAssigned', data: { projectId, roleId } }];
}

/** Returns no event if the user does not have the role. */
export function unassignRole({ projectId, roleIds }: AppUser, roleId: string | null): readonly AppUserEvent[] {
  if (roleId === null || !roleIds.includes(roleId)) return [];
  return [{ type: 'AppUserRoleUnassigned', data: { projectId, roleId } }];
}

/**
 * Turns the legacy role into a role, once: if the role is unassigned later, it is not assigned again.
 * @param roleOf returns undefined if the role is not known
 */
export function migrateRole(user: AppUser, roleOf: (role: string) => string | undefined): readonly AppUserEvent[] {
  const roleId = user.hasRoleToMigrate && user.role !== null ? roleOf(user.role) : undefined;
  if (roleId === undefined) return [];
  const { projectId } = user;
  return [...assignRole(user, roleId), { type: 'AppUserRoleMigrated', data: { projectId, roleId } }];
}
