/**
 * Names and subjects stand in one line: nothing may end it, and no writing direction be turned round to make one text
 * look like another.
 */
const notOfALine = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const allNotOfALine = new RegExp(`${notOfALine.source}+`, 'gu');

/** Whether a text is one line as it is meant. */
export const isOneLine = (text: string): boolean => !notOfALine.test(text);

/** One line of what somebody else wrote: whatever is not of a line becomes a space. */
export const asOneLine = (text: string): string =>
  isOneLine(text) ? text : text.replace(allNotOfALine, ' ').trim().toWellFormed();

/** A file's own name, in one line and without the folders that somebody else may have put before it. */
export function asFileName(text: string): string {
  const name = asOneLine(text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1));
  return /^\.+$/.test(name) ? '' : name;
}
