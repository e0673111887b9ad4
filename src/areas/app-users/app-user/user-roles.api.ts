import type { AppUser, AppUserEvent } from './app-user.record.js';

export function assignRole({ projectId, roleIds }: AppUser, roleId: string): readonly AppUserEvent[] {
  return roleIds.includes(roleId) ? [] : [{ type: 'AppUserRoleAssigned', data: { projectId, roleId } }];
}

export function unassignRole({ projectId, roleIds }: AppUser, roleId: string | null): readonly AppUserEvent[] {
  if (roleId === null || !roleIds.includes(roleId)) return [];
  return [{ type: 'AppUserRoleUnassigned', data: { projectId, roleId } }];
}

/**
 * Each legacy role of a user is migrated only once, so the role is not assigned again after it was unassigned.
 * @param roleOf returns undefined if the legacy role has no corresponding role
 */
export function migrateRole(user: AppUser, roleOf: (role: string) => string | undefined): readonly AppUserEvent[] {
  const roleId = user.hasRoleToMigrate && user.role !== null ? roleOf(user.role) : undefined;
  if (roleId === undefined) return [];
  const { projectId } = user;
  return [...assignRole(user, roleId), { type: 'AppUserRoleMigrated', data: { projectId, roleId } }];
}
