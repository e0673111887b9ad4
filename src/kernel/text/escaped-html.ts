const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text that adds no markup, where it stands between tags or in a quoted attribute. */
export const escapedHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

/** JSON that ends no script element and begins no comment, whatever its texts hold. */
export const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
