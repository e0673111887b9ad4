import { userEmail } from '../../../kernel/mail/user-email.js';

export const comparedEmail = (email: string): string => userEmail(email) ?? email.trim().toLowerCase();
