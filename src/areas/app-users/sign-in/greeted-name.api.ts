import type { AppUser } from '../app-user/app-user.record.js';

const longest = 60;
const leadsElsewhere = /[/:@\\]|\.[\p{L}\p{N}]/u;

/**
 * Anyone can sign up with another person's email and use the name to send that person a link on behalf of the site.
 * Until the email is verified, a name that is long or looks like a link is therefore replaced by the part before the
 * `@`.
 */
export function greetedName({
  name,
  email,
  emailVerifiedAt,
}: Pick<AppUser, 'name' | 'email' | 'emailVerifiedAt'>): string {
  const isTrusted = emailVerifiedAt !== null || ([...name].length <= longest && !leadsElsewhere.test(name));
  return isTrusted ? name : email.slice(0, email.lastIndexOf('@'));
}
