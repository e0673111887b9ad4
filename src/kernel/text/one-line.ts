/**
 * Line breaks and other control characters, lone surrogates, and characters that change the writing direction, which
 * can make one text look like another.
 */
const notOfALine = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const allNotOfALine = new RegExp(`${notOfALine.source}+`, 'gu');

export const isOneLine = (text: string): boolean => !notOfALine.test(text);

export const asOneLine = (text: string): string =>
  isOneLine(text) ? text : text.replace(allNotOfALine, ' ').trim().toWellFormed();

/** Removes leading folders. Empty if the name consists only of dots. */
export function asFileName(text: string): string {
  const name = asOneLine(text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1));
  return /^\.+$/.test(name) ? '' : name;
}
