/** A secret's value to be filled in: `{{secret:API_KEY}}`. */
const placeholder = /\{\{secret:([^{}]*)\}\}/g;

/** The names of all placeholders, each once, in the order of the texts. */
export function namesIn(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.flatMap((text) => [...text.matchAll(placeholder)].map(([, name = '']) => name)))];
}

/** The text with the replacement of each name. */
export function replacePlaceholders(text: string, replacement: ReadonlyMap<string, string>): string {
  return text.replace(placeholder, (whole, name: string) => replacement.get(name) ?? whole);
}
