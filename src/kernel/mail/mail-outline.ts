import { firstOf, type HeaderField, readHeaders } from './header-fields.js';
import { mailLimits } from './mail-limits.js';
import { MailLines } from './mail-lines.js';

const dash = 45;
/** Maximum length of a boundary, in characters. RFC 2046 allows only 70. */
const longestBoundary = 1_000;

/** A part that contains other parts. `boundary` separates them, and is null for a mail within the mail. */
type Within = { readonly boundary: string | null };

/**
 * Returns a sentence about the limit that the mail exceeds, or undefined. Takes time linear in the length of the mail
 * and decodes nothing.
 */
export function tooMuch(raw: Uint8Array): string | undefined {
  const lines = new MailLines(raw);
  const within: Within[] = [];
  let parts = 0;
  let headersNext = true;
  let met: Uint8Array | undefined;
  for (;;) {
    if (headersNext) {
      met = undefined;
      const block = readHeaders(lines, (line) => {
        if (isDashed(line) && boundaryAt(line, within) !== undefined) met = line;
        return met !== undefined;
      });
      if ('excess' in block) return block.excess;
      headersNext = false;
      const content = met === undefined ? contentOf(block.fields) : undefined;
      if (content !== undefined) within.push(content);
      if (within.length > mailLimits.depth) return `Its parts nest deeper than ${mailLimits.depth} levels.`;
      if (content?.boundary === null) headersNext = true;
      if (headersNext) continue;
    }
    const line = met ?? lines.next();
    met = undefined;
    if (line === undefined) return undefined;
    const found = isDashed(line) ? boundaryAt(line, within) : undefined;
    if (found === undefined) continue;
    within.length = found.closes ? found.at : found.at + 1;
    if (found.closes) continue;
    parts += 1;
    if (parts > mailLimits.parts) return `It has more than ${mailLimits.parts} parts.`;
    headersNext = true;
  }
}

const isDashed = (line: Uint8Array) => line[0] === dash && line[1] === dash && line.length <= longestBoundary + 4;

function boundaryAt(
  line: Uint8Array,
  within: readonly Within[],
): { readonly at: number; readonly closes: boolean } | undefined {
  const text = Buffer.from(line).toString('latin1').trimEnd().slice(2);
  const at = within.findLastIndex(
    ({ boundary }) => boundary === text || (boundary !== null && `${boundary}--` === text),
  );
  return at === -1 ? undefined : { at, closes: within[at]?.boundary !== text };
}

function contentOf(fields: readonly HeaderField[]): Within | undefined {
  const type = firstOf(fields, 'content-type') ?? '';
  if (/^\s*message\/(rfc822|global)\b/i.test(type)) return { boundary: null };
  if (!/^\s*multipart\//i.test(type)) return undefined;
  const named = /;\s*boundary\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/i.exec(type.slice(0, 4_000));
  const boundary = (named?.[1]?.replace(/\\(.)/g, '$1') ?? named?.[2] ?? '').trimEnd();
  return boundary === '' ? undefined : { boundary: Buffer.from(boundary).toString('latin1') };
}
