import { escapedHtml } from '../../kernel/text/escaped-html.js';
import { characterName, visible } from './unsafe-unicode.js';

/** A part of a page that is already escaped. Only the functions in this file create one. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | false | undefined | readonly Part[];

/**
 * Fills a page template. Every value is escaped, for elements and quoted attributes, unless it is already `Html`.
 * Characters that are invisible or change the writing direction are replaced by their names.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.reduce((text, next, index) => text + textOf(parts[index - 1]) + next));
}

function textOf(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return visible(String(part), (character) => `⟦${characterName(character)}⟧`, escapedHtml);
}

/** Escapes a user's text for an element, with unusual characters made visible. */
export const marked = (text: string): Html => new Html(visible(text, box, escapedHtml));

/** Like `marked`, for text with several lines: line feeds and tabs remain. */
export const markedLines = (text: string): Html =>
  new Html(visible(text, (character) => (/[\n\t]/.test(character) ? character : box(character)), escapedHtml));

const box = (character: string) => `<span class="odd">${characterName(character)}</span>`;
