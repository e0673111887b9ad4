import { describe, expect, it } from '@jest/globals';
import { wrongPassword } from './password.js';

describe('a password', () => {
  it.each(['x'.repeat(8), 'x'.repeat(1_000), '😀'.repeat(1_000), '        '])(
    'may be any text of 8 to 1,000 characters',
    (text) => {
      expect(wrongPassword(text)).toBeUndefined();
    },
  );

  it('is counted as it is hashed: an accent typed separately is no character of its own', () => {
    expect(wrongPassword('e\u0301'.repeat(4))).toBe('must be at least 8 characters');
    expect(wrongPassword('e\u0301'.repeat(8))).toBeUndefined();
  });

  it.each([
    ['x'.repeat(7), 'must be at least 8 characters'],
    ['x'.repeat(1_001), 'must be at most 1,000 characters'],
    ['x'.repeat(1_000_001), 'must be at most 1,000 characters'],
    ['halves\ud800', 'must be well-formed Unicode, without lone surrogates'],
    ['nul\u0000nul\u0000', 'must not contain the character U+0000'],
    [undefined, 'is required and must be a string'],
    [null, 'must be a string'],
  ])('is refused with an error message', (text, wrong) => {
    expect(wrongPassword(text)).toBe(wrong);
  });
});
