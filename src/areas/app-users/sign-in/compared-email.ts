import { userEmail } from '../../../kernel/mail/user-email.js';

/** Returns the normalised form under which emails are counted and stored. Also accepts texts that are not addresses. */
export const comparedEmail = (email: string): string => userEmail(email) ?? email.trim().toLowerCase();
