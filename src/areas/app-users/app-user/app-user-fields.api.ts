import { typed } from '../../../kernel/field/field.js';
import { userEmail } from '../../../kernel/mail/user-email.js';
import { mustBe } from '../../../kernel/text/must-be.js';
import { wrongPassword } from '../../../kernel/text/password.js';

function wrongUserEmail(value: unknown): string | undefined {
  if (typeof value !== 'string') return mustBe('a string', value);
  return userEmail(value) === undefined ? 'must be an email address such as ada@example.com' : undefined;
}

export const userEmailField = typed<string>()({
  type: 'any',
  schema: { type: 'string', format: 'email', maxLength: 254 },
  wrong: wrongUserEmail,
  description: 'Kept in lower case, its domain in ASCII. Unique in the project.',
});

export const passwordField = typed<string>()({
  password: true,
  type: 'any',
  schema: { type: 'string', minLength: 8, maxLength: 1_000 },
  must: 'a text of 8 to 1,000 characters',
  wrong: wrongPassword,
  description: 'Only its hash is kept, and answered by no operation.',
});

export const customFieldsField = {
  type: 'object',
  maxBytes: 100_000,
  optional: true,
  description: 'By field id or name; null takes a value away.',
} as const;
