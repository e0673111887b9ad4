import { nameOf, visible } from './odd-characters.js';

/** A piece of a page whose text is escaped already. Nothing makes one but the functions of this file. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | false | undefined | readonly Part[];

/**
 * A template of a page. Whatever is put in is text, escaped for elements and quoted attributes alike, unless it was made
 * by a template itself; characters that would not be seen, or would turn round what is seen, are named.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, next, index) => text + textOf(parts[index - 1]) + next));
}

function textOf(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return visible(String(part), (character) => `⟦${nameOf(character)}⟧`, escaped);
}

/** Somebody's text for an element: what is odd in it stands out. */
export const marked = (text: string): Html => new Html(visible(text, box, escaped));

/** The same of text in lines, where line feeds and tabs do what they seem to do. */
export const markedLines = (text: string): Html =>
  new Html(visible(text, (character) => (/[\n\t]/.test(character) ? character : box(character)), escaped));

const box = (character: string) => `<span class="odd">${nameOf(character)}</span>`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
