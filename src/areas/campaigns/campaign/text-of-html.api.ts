import { htmlTokens } from './html-tokens.js';

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const lines = new Set(['br', 'div', 'tr', 'ul', 'ol', 'table', 'section', 'article', 'header', 'footer']);
const paragraphs = new Set(['p', 'blockquote', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const href = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i;

/** Blocks become lines, and the address of a link follows the link's text. */
export function textOfHtml(html: string): string {
  const parts: string[] = [];
  let isHead = false;
  let link: string | undefined;
  for (const token of htmlTokens(html)) {
    if (token.kind === 'unfinished') break;
    if (token.kind === 'text') {
      if (!isHead) parts.push(decoded(token.text.replace(/\s+/g, ' ')));
      continue;
    }
    const { kind, name, attributes } = token;
    const isOpen = kind === 'open';
    if (name === 'head') isHead = isOpen;
    else if (name === 'body') isHead = false;
    else if (name === 'a' && isOpen) link = hrefIn(attributes);
    else if (name === 'a' && link !== undefined) {
      if (parts.at(-1)?.trim() !== link) parts.push(` (${link})`);
      link = undefined;
    } else if (name === 'li') parts.push(isOpen ? '\n- ' : '\n');
    else if (name === 'td' || name === 'th') parts.push(' ');
    else if (paragraphs.has(name)) parts.push('\n\n');
    else if (lines.has(name)) parts.push('\n');
  }
  return parts
    .join('')
    .split('\n')
    .map((line) => line.trim().replace(/ {2,}/g, ' '))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function hrefIn(attributes: string): string | undefined {
  const found = href.exec(attributes);
  const address = decoded(found?.[1] ?? found?.[2] ?? '').trim();
  return address === '' || address.startsWith('#') ? undefined : address;
}

const decoded = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff) ? String.fromCodePoint(point) : '';
  });
