import { refusal } from './refusal-entry.js';

/** What the users of sites, their roles and their sign-in refuse. */
export const appUsersRefusals = {
  'app-user-not-found': refusal(
    'not-found',
    () => 'There is no such app user in this site; getAppUsers lists those there are.',
  ),
  'email-taken': refusal(
    'conflict',
    (about: { email: string }) =>
      `Another user of this site has the email ${about.email}; change that user, or use another email.`,
  ),
  'roles-unknown': refusal(
    'invalid',
    (about: { roleIds: readonly string[] }) =>
      `This site has no role ${about.roleIds.join(', ')}; listProjectRoles shows those it has. Nothing was changed.`,
  ),
  'profile-data-differs': refusal(
    'invalid',
    () => 'customFields and profileData are two names of the same; send one of them, or the same in both.',
  ),
  'passwords-busy': refusal(
    'unavailable',
    () => 'Too many passwords are being hashed now. Nothing was changed; send the call again in a moment.',
  ),
  'site-mail-not-found': refusal(
    'not-found',
    () => 'There is no such mail of a site; listOutgoingMail shows those there are.',
  ),
} as const;
