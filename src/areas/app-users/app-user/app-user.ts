import type { JsonObject } from '../../../kernel/json/json.js';
import { differing } from '../../../kernel/record/differing.js';
import type { AppUser, AppUserEvent } from './app-user.record.js';
import { mergedValues } from './custom-values.api.js';
import { unassignRole } from './user-roles.api.js';

export interface SentChanges {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /**
   * Used only if the email changes. If omitted, the new email is treated as verified. `null` means that the user must
   * verify it.
   */
  readonly emailVerifiedAt?: string | null | undefined;
  readonly role?: string | undefined;
  readonly isBanned?: boolean | undefined;
  /** Keyed by field id or name; `updateAppUser` accepts only ids. `null` removes a value. */
  readonly customFields?: JsonObject | undefined;
}

/**
 * A ban or a new email ends all sessions of the user. A change of the legacy role unassigns the role to which it was
 * migrated, so a former admin does not retain the admin role.
 * @param path path of the custom fields in the input
 */
export function updateAppUser(
  user: AppUser,
  sent: SentChanges,
  at: string,
  path = 'customFields',
): readonly AppUserEvent[] {
  const { name, role, email, isBanned, customFields } = sent;
  const before = { name: user.name, role: user.role, customFields: user.customFields };
  const merged = customFields && mergedValues(user.customFields, customFields, path);
  const details = differing(before, { name, role, customFields: merged });
  const passGeneration = user.passGeneration + 1;
  const { emailVerifiedAt = at } = sent;
  return [
    ...(details === undefined ? [] : [{ type: 'AppUserUpdated', data: details } as const]),
    ...(details?.role === undefined ? [] : unassignRole(user, user.migratedRoleId)),
    ...(email === undefined || email === user.email
      ? []
      : [{ type: 'AppUserEmailChanged', data: { email, emailVerifiedAt, passGeneration } } as const]),
    ...(isBanned === undefined || isBanned === user.isBanned ? [] : [banned(user.projectId, isBanned, passGeneration)]),
  ];
}

function banned(projectId: string, isBanned: boolean, passGeneration: number): AppUserEvent {
  return isBanned
    ? { type: 'AppUserBanned', data: { projectId, passGeneration } }
    : { type: 'AppUserUnbanned', data: {} };
}

export function verifyAppUser({ projectId, emailVerifiedAt }: AppUser, at: string): readonly AppUserEvent[] {
  return emailVerifiedAt === null ? [{ type: 'AppUserVerified', data: { projectId, emailVerifiedAt: at } }] : [];
}

export function setAppUserPassword(user: AppUser, passwordId: string, retainsPasses: boolean): readonly AppUserEvent[] {
  const passes = retainsPasses ? {} : { passGeneration: user.passGeneration + 1 };
  return [{ type: 'AppUserPasswordSet', data: { passwordId, replaces: user.passwordId, ...passes } }];
}

export function deleteAppUser({ projectId, passwordId }: AppUser): readonly AppUserEvent[] {
  return [{ type: 'AppUserDeleted', data: { projectId, passwordId } }];
}
