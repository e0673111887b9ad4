const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for use between tags or in a quoted attribute. */
export const escapedHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

/** Returns JSON that cannot end a script element or begin a comment, even if its texts try to. */
export const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
