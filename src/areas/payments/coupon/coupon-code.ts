import { idField } from '../../../kernel/field/plain-text.js';
import { fieldOf } from '../../../kernel/noun/fields.js';
import { mustBe } from '../../../kernel/text/must-be.js';

const form = /^[A-Z0-9][A-Z0-9._-]{0,63}$/;

/**
 * Returns the stored form, which is upper case, or undefined if the code is invalid. Only ASCII letters are changed,
 * because `ß` and `ı` in upper case are `SS` and `I`, so a code could match another coupon's code.
 */
export function couponCodeOf(text: string): string | undefined {
  const upper = text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
  return form.test(upper) ? upper : undefined;
}

function wrongCode(value: unknown): string | undefined {
  if (typeof value !== 'string') return mustBe('a string', value);
  return couponCodeOf(value) === undefined
    ? 'must be 1 to 64 characters: letters A to Z and digits, and after the first character also . _ -'
    : undefined;
}

export const couponCode = () =>
  fieldOf<string>()({ type: 'any', schema: { type: 'string', minLength: 1, maxLength: 64 }, wrong: wrongCode })
    .key()
    .answered()
    .describe({
      create:
        '1 to 64 characters: letters A to Z, digits and, after the first character, . _ -. Stored in upper case. Unique in the project.',
      answer: 'The code, in upper case.',
    })
    .shownAs({ type: 'string' })
    .namedBy({ ...idField, description: 'The code of the coupon, in upper or lower case.' });
