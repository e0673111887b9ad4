import type { AppUser, AppUserEvent } from './app-user.record.js';

/** What is kept of a user goes with it: a saga destroys the key of the personal data, and the hash of the password. */
export function deleteAppUser({ projectId, passwordId }: AppUser): readonly AppUserEvent[] {
  return [{ type: 'AppUserDeleted', data: { projectId, passwordId } }];
}
