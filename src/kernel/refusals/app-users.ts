import { eachCall, invalid, refusal } from './refusal-entry.js';

/** What the users of sites, their roles and their sign-in refuse. */
export const appUsersRefusals = {
  'app-user-not-found': refusal(
    'not-found',
    () => 'There is no such app user in this site; getAppUsers lists those there are.',
  ),
  'email-taken': refusal(
    'conflict',
    (about: { email: string }) =>
      `A user of this site has the email ${about.email} already; use that user, or another email.`,
  ),
  'user-email-by-person': refusal(
    'forbidden',
    () =>
      "Only a person changes a user's email, which lets whoever has the new address sign in. Nothing was changed; leave email out, or have a member send it with updateAppUser.",
  ),
  'roles-unknown': invalid(
    eachCall,
    (about: { roleIds: readonly string[] }) =>
      `This site has no role ${about.roleIds.join(', ')}; listProjectRoles shows those it has. Nothing was changed.`,
  ),
  'profile-data-differs': invalid(
    'profileData',
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
  'role-not-found': refusal(
    'not-found',
    () => 'There is no such role in this workspace; listProjectRoles shows those of a site.',
  ),
  'role-name-taken': refusal(
    'conflict',
    (about: { name: string }) =>
      `The site has a role named '${about.name}' already, in whatever case; choose another name, or change that one.`,
  ),
  'role-reserved': refusal(
    'conflict',
    (about: { name: string }) =>
      `Every site has the role '${about.name}', which is neither renamed nor deleted; only its color can change.`,
  ),
} as const;
