import { userEmail } from '../../../kernel/mail/user-email.js';

/** What emails are counted and remembered under, also what is no address. */
export const comparedEmail = (email: string): string => userEmail(email) ?? email.trim().toLowerCase();
