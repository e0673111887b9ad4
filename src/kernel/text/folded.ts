const ascii = /^[\0-\x7f]*$/;
const known = new Map<string, string>();

/**
 * Texts that differ only in case have the same result. Uses Unicode's simple case folding of each code point, so
 * substrings remain substrings. Not for display, because the result may use any variant of a letter.
 */
export function folded(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  let made = '';
  for (const letter of text) made += known.get(letter) ?? remembered(letter);
  return made;
}

/** Remembers at most 20,000 letters to limit memory; texts use few of the 1.1 million code points. */
function remembered(letter: string): string {
  const made = foldedLetter(letter);
  if (known.size < 20_000) known.set(letter, made);
  return made;
}

function foldedLetter(letter: string): string {
  const upper = letter.toUpperCase();
  return [upper.toLowerCase(), letter.toLowerCase()].find((candidate) => isSameLetter(letter, candidate)) ?? letter;
}

function isSameLetter(letter: string, candidate: string): boolean {
  if ([...candidate].length !== 1) return false;
  const code = (letter.codePointAt(0) ?? 0).toString(16);
  return new RegExp(`^\\u{${code}}$`, 'iu').test(candidate);
}
