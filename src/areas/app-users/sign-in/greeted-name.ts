import type { AppUser } from '../app-user/app-user.record.js';

const longest = 60;
/** What mail programs make a link of, or what leads elsewhere. */
const leadsElsewhere = /[/:@\\]|\.[\p{L}\p{N}]/u;

/**
 * How a mail greets a user. Anybody may sign up with somebody else's address, and a name that is a message of their own
 * would go out in the site's name: until the address is verified, such a name gives way to what stands before the `@`.
 */
export function greetedName({
  name,
  email,
  emailVerifiedAt,
}: Pick<AppUser, 'name' | 'email' | 'emailVerifiedAt'>): string {
  const isTrusted = emailVerifiedAt !== null || ([...name].length <= longest && !leadsElsewhere.test(name));
  return isTrusted ? name : email.slice(0, email.lastIndexOf('@'));
}
