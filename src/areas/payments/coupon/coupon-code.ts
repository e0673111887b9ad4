import { idField } from '../../../kernel/field/plain-text.js';
import { fieldOf } from '../../../kernel/noun/fields.js';
import { mustBe } from '../../../kernel/text/must-be.js';

const form = /^[A-Z0-9][A-Z0-9._-]{0,63}$/;

/**
 * Returns a code in stored form, or undefined if it is invalid. Letters of other scripts are not allowed: `ß` in upper
 * case is `SS`, and `ı` is `I`, so one coupon could match another's code.
 */
export function couponCodeOf(text: string): string | undefined {
  const upper = text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
  return form.test(upper) ? upper : undefined;
}

function wrongCode(value: unknown): string | undefined {
  if (typeof value !== 'string') return mustBe('a string', value);
  return couponCodeOf(value) === undefined
    ? 'must be 1 to 64 of the letters A to Z, digits, and . _ - after the first'
    : undefined;
}

/** The key of a coupon in its project. */
export const couponCode = () =>
  fieldOf<string>()({ type: 'any', schema: { type: 'string', minLength: 1, maxLength: 64 }, wrong: wrongCode })
    .key()
    .answered()
    .describe({
      create: 'Letters A to Z, digits and . _ -, kept in upper case. Unique in the project.',
      answer: 'In upper case.',
    })
    .shownAs({ type: 'string' })
    .namedBy({ ...idField, description: 'In upper or lower case.' });
