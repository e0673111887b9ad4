import type { AppUser } from '../app-user/app-user.record.js';

const longest = 60;
/** Characters that mail programs turn into a link, or that can lead to another site. */
const leadsElsewhere = /[/:@\\]|\.[\p{L}\p{N}]/u;

/**
 * Returns the name with which a mail greets a user. Anyone may sign up with another person's address, and the name
 * could carry a message to that person on behalf of the site. So until the address is verified, a name that looks like
 * a link is replaced by the part before the `@`.
 */
export function greetedName({
  name,
  email,
  emailVerifiedAt,
}: Pick<AppUser, 'name' | 'email' | 'emailVerifiedAt'>): string {
  const isTrusted = emailVerifiedAt !== null || ([...name].length <= longest && !leadsElsewhere.test(name));
  return isTrusted ? name : email.slice(0, email.lastIndexOf('@'));
}
