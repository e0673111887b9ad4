import { mustBe, wrongCharacter } from './must-be.js';

const shortest = 8;
const longest = 1_000;

/** Never quotes the password. */
export function wrongPassword(value: unknown): string | undefined {
  if (typeof value !== 'string') return mustBe('a string', value);
  // A very long password is refused before the steps below, which read the whole text.
  if (value.length > 4 * longest) return `must be at most ${longest.toLocaleString('en')} characters`;
  const wrong = wrongCharacter(value);
  if (wrong !== undefined) return wrong;
  const { length } = [...normalPassword(value)];
  if (length < shortest) return `must be at least ${shortest} characters`;
  return length > longest ? `must be at most ${longest.toLocaleString('en')} characters` : undefined;
}

/**
 * Returns the password in the form in which it is hashed. It is normalised, because keyboards send an accented letter
 * as one or as two characters.
 */
export const normalPassword = (text: string): string => text.normalize('NFC');
