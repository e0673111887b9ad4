/** Whether a text has more than so many characters, counted as Unicode code points. */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  return text.length > 2 * limit || [...text].length > limit;
}
