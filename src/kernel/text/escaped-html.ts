const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The result is safe between tags and in quoted attributes. */
export const escapedHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

/** Returns JSON that cannot end a script element or begin a comment. */
export const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
