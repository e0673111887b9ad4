/**
 * Characters not allowed in a single line, such as a name or a subject: line breaks and other control characters, lone
 * surrogates, and characters that change the writing direction, which can make one text look like another.
 */
const notOfALine = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const allNotOfALine = new RegExp(`${notOfALine.source}+`, 'gu');

/** Whether a text is a plain single line. */
export const isOneLine = (text: string): boolean => !notOfALine.test(text);

/** Makes an outside text a single line: each run of characters that are not allowed becomes a space. */
export const asOneLine = (text: string): string =>
  isOneLine(text) ? text : text.replace(allNotOfALine, ' ').trim().toWellFormed();

/** Returns a file name as a single line, without leading folders. Empty if the name consists only of dots. */
export function asFileName(text: string): string {
  const name = asOneLine(text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1));
  return /^\.+$/.test(name) ? '' : name;
}
