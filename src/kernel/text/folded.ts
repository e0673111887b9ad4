const ascii = /^[\0-\x7f]*$/;
const known = new Map<string, string>();

/**
 * A text by which the same letters in any case are equal: every code point by Unicode's simple case folding, so that the
 * parts of a text are the parts of its folded form. Stores keep it and look for folded parts, so they need no folding of
 * their own. Not for showing: of the letters of one kind, it is any that stands for all.
 */
export function folded(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  let made = '';
  for (const letter of text) made += known.get(letter) ?? remembered(letter);
  return made;
}

/** There are about 1.1 million code points at most, of which texts use few. */
function remembered(letter: string): string {
  const made = foldedLetter(letter);
  if (known.size < 20_000) known.set(letter, made);
  return made;
}

/** Case mappings that give several letters, or that only hold in some language, are no simple folding. */
function foldedLetter(letter: string): string {
  const upper = letter.toUpperCase();
  return [upper.toLowerCase(), letter.toLowerCase()].find((candidate) => isSameLetter(letter, candidate)) ?? letter;
}

/** JavaScript compares letters by simple case folding with the flags i and u. */
function isSameLetter(letter: string, candidate: string): boolean {
  if ([...candidate].length !== 1) return false;
  const code = (letter.codePointAt(0) ?? 0).toString(16);
  return new RegExp(`^\\u{${code}}$`, 'iu').test(candidate);
}
