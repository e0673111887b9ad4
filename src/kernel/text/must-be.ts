/**
 * Returns undefined if all characters are allowed. A lone surrogate has no form in UTF-8, and some stores and protocols
 * end a text at U+0000.
 */
export function wrongCharacter(text: string): string | undefined {
  if (!text.isWellFormed()) return 'must be well-formed Unicode, without lone surrogates';
  return text.includes('\0') ? 'must not contain the character U+0000' : undefined;
}

export const mustBe = (expected: string, value: unknown): string =>
  value === undefined ? `is required and must be ${expected}` : `must be ${expected}`;
