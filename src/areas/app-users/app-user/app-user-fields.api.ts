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
  description: 'Unique in the project. Stored in lower case, with the domain in ASCII.',
});

export const passwordField = typed<string>()({
  password: true,
  type: 'any',
  schema: { type: 'string', minLength: 8, maxLength: 1_000 },
  must: 'a text of 8 to 1,000 characters',
  wrong: wrongPassword,
  description: 'Stored as a hash only. No operation returns it.',
});

export const customFieldsField = {
  type: 'object',
  maxBytes: 100_000,
  optional: true,
  description: 'Values by field id or field name. null removes a value.',
} as const;
