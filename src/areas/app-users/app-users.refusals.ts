import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusalsOf, refusing } from '../../kernel/refusals/refusal.js';
import { invalid, refusal } from '../../kernel/refusals/refusal-entry.js';
import { mailboxesRefusals } from '../mailboxes/mailboxes.refusals.js';
import { sitesRefusals } from '../sites/sites.refusals.js';

export const appUsersRefusals = {
  'app-user-not-found': refusal(
    'not-found',
    () => 'There is no such app user in this site; getAppUsers lists the users.',
  ),
  'email-taken': refusal(
    'conflict',
    (about: { email: string }) =>
      `A user of this site has the email ${about.email} already; use that user, or another email.`,
  ),
  'user-email-by-person': refusal(
    'forbidden',
    () =>
      "Only a person can change a user's email, because the owner of the new address can then sign in. Nothing was changed; omit email, or have a member send it with updateAppUser.",
  ),
  'profile-data-differs': invalid(
    'profileData',
    () =>
      'customFields and profileData are two names for the same field; send only one of them, or the same value in both.',
  ),
  'passwords-busy': refusal(
    'unavailable',
    () => 'Too many passwords are being hashed now. Nothing was changed; send the call again in a moment.',
  ),
  'site-mail-not-found': refusal(
    'not-found',
    () => 'There is no such mail of a site; listOutgoingMail lists the mails.',
  ),
  'role-not-found': refusal(
    'not-found',
    () => 'There is no such role in this workspace; listProjectRoles lists the roles of a site.',
  ),
  'role-name-taken': refusal(
    'conflict',
    (about: { name: string }) =>
      `The site already has a role named '${about.name}' (case is ignored); choose another name, or change that role.`,
  ),
  'role-name-legacy': refusal(
    'conflict',
    (about: { name: string }) =>
      `A role cannot be named '${about.name}', because pages take 'user' for every signed-in user and 'admin' for app-super-admin; choose another name.`,
  ),
  'role-reserved': refusal(
    'conflict',
    (about: { name: string }) =>
      `Every site has the role '${about.name}', which cannot be renamed or deleted; only its color can be changed.`,
  ),
  'sign-in-off': refusal('forbidden', () => 'This site has no sign-in; its owner can switch it on.'),
  'sign-up-off': refusal('forbidden', () => 'This site does not accept new users now; ask its owner.'),
  'sign-up-limit': refusal('limited', (about: { most: number; of: 'email' | 'address' | 'site' }) => {
    switch (about.of) {
      case 'email':
        return `There were ${about.most} sign-ups with this email within an hour, which is the limit; try again later.`;
      case 'address':
        return `${about.most} people have signed up from your address within an hour, which is the limit; try again later.`;
      case 'site':
        return `${about.most} people have signed up at this site within an hour, which is the limit; try again later.`;
    }
  }),
  'log-in-failed': refusal(
    'unauthenticated',
    () => 'The email or the password is wrong; check both, or reset the password.',
  ),
  'email-not-verified': refusal(
    'unauthenticated',
    () => 'Your email is not verified yet; open the link in the mail that was sent to you, or ask for another one.',
  ),
  'sign-in-token-invalid': invalid(
    'token',
    () => 'This link does not work: it was already used, has expired, or is incomplete; request another one.',
  ),
  'current-password-wrong': refusal(
    'unauthenticated',
    () => 'currentPassword is not your password; check it, or reset the password. Nothing was changed.',
  ),
  'guest-rate': refusal(
    'limited',
    () =>
      'There were more guests from your address than this site allows in an hour; use the session you have, or try again later.',
  ),
  'guests-off': refusal('forbidden', () => 'This site does not allow guests; sign in, or ask its owner.'),
  'email-send-denied': refusal(
    'forbidden',
    () => 'Nothing was sent: this site does not let you send mail; sign in, or ask its owner.',
  ),
  'email-template-unknown': invalid(
    'template',
    (about: { slug: string }) => `Nothing was sent: this site has no email template '${about.slug}'; check its slug.`,
  ),
  'visitor-hourly-limit': refusal(
    'limited',
    (about: { most: number }) =>
      `You did this ${about.most} times within an hour, which is the limit of this site; try again later.`,
  ),
  'site-mail-limit': refusal(
    'limited',
    () => 'Nothing was sent: this site sends no more mail this hour; try again later.',
  ),
  'site-mail-recipient': invalid(
    'to',
    () => 'Nothing was sent: the mail server does not accept mail for this address; check it.',
  ),
  'site-mail-not-sent': refusal(
    'unavailable',
    () => 'The mail could not be sent now; try again later, and ask the owner of this site if the problem continues.',
  ),
  'social-off': refusal(
    'forbidden',
    () => 'This site has no sign-in through other services; its owner can switch it on.',
  ),
  'social-provider-unknown': refusal(
    'not-found',
    () => 'There is no such service to sign in with; choose another one.',
  ),
  'social-away': refusal('unavailable', (about: { why: string }) => `${about.why} Try again later.`),
  'social-flow-unknown': invalid(
    'state',
    () => 'This sign-in was not started in this browser, is already finished, or took too long; start again.',
  ),
  'social-code-invalid': refusal(
    'unauthenticated',
    () =>
      'This sign-in cannot be finished: its code was already used, is too old, or belongs to another browser; start again.',
  ),
  'sign-in-tries': refusal(
    'limited',
    () => 'There were too many failed attempts to sign in; try again later, or reset the password.',
  ),
};

const known = { ...engineRefusals, ...mailboxesRefusals, ...sitesRefusals, ...appUsersRefusals };
export const refusalOf = refusalsOf(known);
export const refuse: Refuse<typeof known> = refusing(known);
