import { escapedHtml } from '../../kernel/text/escaped-html.js';
import { characterName, visible } from './unsafe-unicode.js';

/**
 * HTML that is safe to insert. Create it with `html`, `marked` or `markedLines`, because the constructor escapes
 * nothing.
 */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | false | undefined | readonly Part[];

/**
 * Inserted values are escaped for element content and quoted attributes, unless they are `Html`. Characters that are
 * invisible or change the writing direction are shown as their code points.
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

/** Unusual characters are shown as their code points. */
export const marked = (text: string): Html => new Html(visible(text, box, escapedHtml));

/** Like `marked`, but line feeds and tabs are preserved. */
export const markedLines = (text: string): Html =>
  new Html(visible(text, (character) => (/[\n\t]/.test(character) ? character : box(character)), escapedHtml));

const box = (character: string) => `<span class="odd">${characterName(character)}</span>`;
