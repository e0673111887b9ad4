export function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  return text.length > 2 * limit || [...text].length > limit;
}

/**
 * Orders texts by code point, which is also their byte order in UTF-8, whereas JavaScript's `<` compares UTF-16 code
 * units.
 */
export function compareTexts(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  for (let at = 0; at < shorter; at += 1) {
    const difference = left.charCodeAt(at) - right.charCodeAt(at);
    if (difference !== 0) return rank(left.charCodeAt(at)) - rank(right.charCodeAt(at));
  }
  return left.length - right.length;
}

const rank = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/**
 * Returns the first text, in code point order, that comes after all texts with this prefix, or undefined if there is
 * none.
 */
export function afterAllWith(start: string): string | undefined {
  const letters = [...start];
  for (let last = letters.pop(); last !== undefined; last = letters.pop()) {
    const code = last.codePointAt(0) ?? 0;
    if (code === 0x10ffff) continue;
    return letters.join('') + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);
  }
  return undefined;
}
