/** A shorter value would hide half of every log, and so be told by what is missing. */
export const SHORTEST_HIDDEN = 4;
/** The base64 of a shorter value has too few letters of its own to be told from others. */
const shortestInBase64 = 8;
/** Escaped writings of a longer value are found by undoing escapes alone, for the memory they would take. */
const longestEscaped = 1_000;

/**
 * The bytes to look for. A value is often stored with a line break at its end and sent without, so the white space
 * around it does not count; an error's one line has a space for its breaks; and `btoa` reads it as Latin-1.
 */
export function writingsOf(value: string): readonly Uint8Array[] {
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
 * The usual escaped writings in so many words: undoing escapes goes wrong where the text before a value ends in the
 * middle of one, as in a `%4` that takes the value's first letter for its own.
 */
function escapedOnce(value: string): readonly string[] {
  const form = new URLSearchParams([['', value]]).toString().slice(1);
  const percent = encodeURIComponent(value.toWellFormed());
  const escaped = [percent, percent.replaceAll('%20', '+'), form];
  const json = inJson(value);
  return [...escaped, ...escaped.map(inLowerCase), json, inJson(json), ...base64Of(value)];
}

/** What the base64 of any text with the value in it has in common: found inside base64, it was encoded twice. */
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
