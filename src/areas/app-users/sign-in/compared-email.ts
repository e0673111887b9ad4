import { userEmail } from '../../../kernel/mail/user-email.js';

/** The normalised form under which emails are counted and stored, also for texts that are not addresses. */
export const comparedEmail = (email: string): string => userEmail(email) ?? email.trim().toLowerCase();
