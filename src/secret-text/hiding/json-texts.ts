import type { Json } from '../../kernel/json/json.js';

export function collectTexts(value: Json | undefined, texts: string[]): void {
  if (typeof value === 'string' || typeof value === 'number') texts.push(String(value));
  else if (Array.isArray(value)) for (const one of value) collectTexts(one, texts);
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      texts.push(name);
      collectTexts(inner, texts);
    }
}

/**
 * Replaces all texts of a value by those of the iterator, which must have the order of `collectTexts`. A number whose
 * text changed becomes a string.
 */
export function withTexts(value: Json, texts: Iterator<string>): Json {
  if (typeof value === 'string') return nextOf(texts);
  if (typeof value === 'number') {
    const text = nextOf(texts);
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((one) => withTexts(one, texts));
  if (typeof value !== 'object' || value === null) return value;
  // `fromEntries` makes a member called __proto__ an ordinary member.
  return Object.fromEntries(
    Object.values(value).map((inner) => {
      const name = nextOf(texts);
      return [name, inner === undefined ? undefined : withTexts(inner, texts)];
    }),
  );
}

function nextOf(texts: Iterator<string>): string {
  const { value, done } = texts.next();
  if (done) throw new Error('There are fewer texts than were collected.');
  return value;
}
