import { userEmail } from '../../../kernel/mail/user-email.js';

/**
 * Returns the normalised email, for quotas and digests. If the text is not an email address, it is only trimmed and
 * lower-cased.
 */
export const comparedEmail = (email: string): string => userEmail(email) ?? email.trim().toLowerCase();
