/**
 * Length of the shortest value that is hidden. Hiding shorter values would hide half of every log, and the gaps would
 * reveal the values.
 */
export const SHORTEST_HIDDEN = 4;
/**
 * Length in bytes of the shortest value whose base64 form is itself searched for, to find double encoding. The base64
 * of a shorter value has too few characteristic letters.
 */
const shortestInBase64 = 8;
/**
 * Length of the longest value whose escaped forms are searched for directly. Listing those of longer values would take
 * much memory, so they are found only by decoding the searched text.
 */
const longestEscaped = 1_000;

/**
 * Returns the byte sequences that represent a value. Surrounding white space is ignored, because a value is often
 * stored with a final line break and sent without it. Error messages are made one line, so a form with spaces in place
 * of line breaks is included. Latin-1 is included because `btoa` uses it.
 */
export function byteFormsOf(value: string): readonly Uint8Array[] {
  if (value.length < SHORTEST_HIDDEN) return [];
  const trimmed = value.trim();
  const core = trimmed.length >= SHORTEST_HIDDEN ? trimmed : value;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that an error's line has none of.
  const oneLine = core.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ');
  const texts = new Set([core, ...(core.length > longestEscaped ? [] : escapedOnce(core))]);
  if (oneLine.length >= SHORTEST_HIDDEN) texts.add(oneLine);
  const wide = Buffer.from(core, 'utf16le');
  const writings = [...[...texts].map((text) => Buffer.from(text)), wide, Buffer.from(wide).swap16()];
  const isLatin = [...core].every((character) => character <= '\u00ff');
  return isLatin ? [...writings, Buffer.from(core, 'latin1')] : writings;
}

/**
 * Returns escaped forms of a value, which are searched for directly. Decoding the searched text is not enough, because
 * text before the value may end within an escape: after `%4`, the value's first letter would be decoded as part of that
 * escape.
 */
function escapedOnce(value: string): readonly string[] {
  const form = new URLSearchParams([['', value]]).toString().slice(1);
  const percent = encodeURIComponent(value.toWellFormed());
  const escaped = [percent, percent.replaceAll('%20', '+'), form];
  const json = inJson(value);
  return [...escaped, ...escaped.map(inLowerCase), json, inJson(json), ...base64Of(value)];
}

/**
 * Returns the base64 letters that represent the value regardless of the text around it, for each alignment and
 * alphabet. They are searched for within decoded base64, to find double encoding.
 */
function base64Of(value: string): readonly string[] {
  if (Buffer.byteLength(value) < shortestInBase64) return [];
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    const own = (text: string) => text.slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
    return [own(bytes.toString('base64')), own(bytes.toString('base64url'))];
  });
}

function inLowerCase(percent: string): string {
  return percent.replace(/%../g, (one) => one.toLowerCase());
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
