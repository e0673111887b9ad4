const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text that adds no markup, where it stands between tags or in a quoted attribute. */
export const escapedHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
