import { mustBe } from '../text/must-be.js';
import { isOneLine } from '../text/one-line.js';
import { type FieldSpec, typed } from './field.js';

const longestName = 200;
const longestEmail = 254;

/** The pattern of the HTML standard, which accepts `owner@localhost`. */
const email =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

const ofALine = String.raw`[^\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]`;
/** Accepts the same texts as `isOneLine`. */
export const lineSchema = { pattern: `^${ofALine}*$` } as const;
/** Requires at least one visible character. */
export const shownLineSchema = { pattern: `^${ofALine}*(?!\\s)${ofALine}+$` } as const;

export function wrongName(value: unknown): string | undefined {
  if (typeof value !== 'string') return mustBe('a string', value);
  if (value.trim() === '') return 'must not be empty';
  if (value.length > 2 * longestName || [...value].length > longestName)
    return `must be at most ${longestName} characters`;
  // Names appear in logs, in mails and on approval pages, so they must be one line.
  return isOneLine(value) ? undefined : 'must be one line of text without control characters';
}

export function wrongEmail(value: unknown): string | undefined {
  if (typeof value !== 'string') return mustBe('a string', value);
  if (value.length > longestEmail) return `must be at most ${longestEmail} characters`;
  return email.test(value) ? undefined : 'must be an email address such as ada@example.com';
}

export const nameField = typed<string>()({
  type: 'any',
  schema: { type: 'string', minLength: 1, maxLength: longestName, ...shownLineSchema },
  wrong: wrongName,
});

export const emailField = typed<string>()({
  type: 'any',
  schema: { type: 'string', format: 'email', maxLength: longestEmail },
  wrong: wrongEmail,
});

export const idField = { type: 'string', minLength: 1, maxLength: 200 } as const satisfies FieldSpec;
