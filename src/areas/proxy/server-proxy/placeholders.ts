/** What a text may hold for a secret's value: `{{secret:API_KEY}}`. */
const placeholder = /\{\{secret:([^{}]*)\}\}/g;

/** The names of all placeholders, each once, in the order of the texts. */
export function namesIn(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.flatMap((text) => [...text.matchAll(placeholder)].map(([, name = '']) => name)))];
}

/** The text with what stands for each name in its place. */
export function replacePlaceholders(text: string, replacement: ReadonlyMap<string, string>): string {
  return text.replace(placeholder, (whole, name: string) => replacement.get(name) ?? whole);
}
