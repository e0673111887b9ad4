import { startOf, type TextView, ViewWriter } from './text-view.js';

const [BACKSLASH, PERCENT, PLUS, SPACE] = [0x5c, 0x25, 0x2b, 0x20];
const escapes = new Map([...'"\\/bfnrt'].map((letter, at) => [letter.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(at)]));

export function unescapedView(view: TextView): TextView | undefined {
  const { bytes } = view;
  if (!bytes.includes(BACKSLASH)) return undefined;
  const writer = new ViewWriter(bytes.length);
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] as number;
    const escaped = byte === BACKSLASH ? readEscape(bytes, at) : undefined;
    if (escaped) writer.writePoint(escaped.point, startOf(view, at));
    else writer.write(byte, startOf(view, at));
    at += escaped?.length ?? 1;
  }
  return writer.done(startOf(view, bytes.length));
}

/**
 * Returns undefined if the text is not percent-encoded. If `plusIsSpace`, decodes `+` too, and returns undefined if
 * there is no `+`.
 */
export function percentView(view: TextView, plusIsSpace: boolean): TextView | undefined {
  const { bytes } = view;
  if (!bytes.includes(plusIsSpace ? PLUS : PERCENT)) return undefined;
  const writer = new ViewWriter(bytes.length);
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] as number;
    const decoded = byte === PERCENT ? hexByte(bytes, at + 1) : undefined;
    writer.write(decoded ?? (plusIsSpace && byte === PLUS ? SPACE : byte), startOf(view, at));
    at += decoded === undefined ? 1 : 3;
  }
  return writer.done(startOf(view, bytes.length));
}

function readEscape(bytes: Uint8Array, at: number): { readonly point: number; readonly length: number } | undefined {
  const known = escapes.get(bytes[at + 1] as number);
  if (known !== undefined) return { point: known, length: 2 };
  const unit = escapedUnit(bytes, at);
  if (unit === undefined) return undefined;
  const low = unit >= 0xd800 && unit < 0xdc00 ? escapedUnit(bytes, at + 6) : undefined;
  if (low === undefined || low < 0xdc00 || low > 0xdfff) return { point: unit, length: 6 };
  return { point: 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00), length: 12 };
}

function escapedUnit(bytes: Uint8Array, at: number): number | undefined {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== 0x75) return undefined;
  const [high, low] = [hexByte(bytes, at + 2), hexByte(bytes, at + 4)];
  return high === undefined || low === undefined ? undefined : high * 256 + low;
}

function hexByte(bytes: Uint8Array, at: number): number | undefined {
  const [high, low] = [hexDigit(bytes[at]), hexDigit(bytes[at + 1])];
  return high < 0 || low < 0 ? undefined : high * 16 + low;
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
