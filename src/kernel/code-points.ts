/** Whether a text has more than so many characters, a character being a code point (settled question Q-G19). */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  return text.length > 2 * limit || [...text].length > limit;
}
