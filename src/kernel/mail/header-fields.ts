import { mailLimits } from './mail-limits.js';
import { lineText, type MailLines } from './mail-lines.js';

export interface HeaderField {
  /** In lower case. */
  readonly name: string;
  /** Unfolded but not decoded. */
  readonly value: string;
}

export type HeaderBlock =
  | { readonly fields: readonly HeaderField[] }
  /** `excess` describes the exceeded limit in a sentence. `fields` are those read before the limit. */
  | { readonly fields: readonly HeaderField[]; readonly excess: string };

const space = 32;
const tab = 9;

/** Reads up to an empty line or a line for which `ends` returns true. Malformed lines are skipped. */
export function readHeaders(lines: MailLines, ends: (line: Uint8Array) => boolean = () => false): HeaderBlock {
  const fields: HeaderField[] = [];
  let folded: Uint8Array[] = [];
  let length = 0;
  let total = 0;
  const take = () => {
    const field = folded.length === 0 ? undefined : fieldOf(folded);
    if (field !== undefined) fields.push(field);
    folded = [];
    length = 0;
  };
  for (let line = lines.next(); line !== undefined && line.length > 0 && !ends(line); line = lines.next()) {
    const continues = folded.length > 0 && (line[0] === space || line[0] === tab);
    if (!continues) take();
    length += line.length;
    total += line.length;
    const excess = excessOf(fields.length, length, total);
    if (excess !== undefined) return { fields, excess };
    folded.push(line);
  }
  take();
  return { fields };
}

function excessOf(count: number, length: number, total: number): string | undefined {
  if (length > mailLimits.header) return `One of its headers is longer than ${mailLimits.header} bytes.`;
  if (count >= mailLimits.headerCount) return `It has more than ${mailLimits.headerCount} headers.`;
  if (total > mailLimits.headers) return `Its headers are longer than ${mailLimits.headers} bytes.`;
  return undefined;
}

function fieldOf(folded: readonly Uint8Array[]): HeaderField | undefined {
  const text = folded.map((line) => lineText(line).trim()).join(' ');
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(colon, 0)).trim().toLowerCase();
  return /^[\x21-\x7e]+$/.test(name) ? { name, value: text.slice(colon + 1).trim() } : undefined;
}

export function firstOf(fields: readonly HeaderField[], name: string): string | undefined {
  return fields.find((field) => field.name === name)?.value;
}
