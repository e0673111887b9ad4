import { refuse } from '../sites.refusals.js';
import { linesOf } from './numbered-lines.api.js';

export interface Edit {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll?: boolean;
}

export interface Edited {
  readonly text: string;
  readonly replaced: number;
}

const around = 3;
/**
 * Only this many characters of a line are compared and shown, because minified sources have lines of several megabytes.
 */
const longestShown = 500;

/**
 * Replaces non-overlapping occurrences.
 * @param limit maximum size of the result in bytes of UTF-8. It is checked before the result is built, because the
 * result could have gigabytes.
 * @throws Refusal edit-changes-nothing, no-match (with `nearby`), not-unique (with `count`), content-too-large
 */
export function editExactly(text: string, { oldString, newString, replaceAll = false }: Edit, limit: number): Edited {
  if (oldString === newString) refuse('edit-changes-nothing');
  const count = occurrences(text, oldString);
  if (count === 0) refuse('no-match', undefined, { nearby: nearbyText(text, oldString) });
  if (count > 1 && !replaceAll) refuse('not-unique', { count }, { count });
  const more = Buffer.byteLength(newString) - Buffer.byteLength(oldString);
  if (Buffer.byteLength(text) + count * more > limit) refuse('content-too-large', { limit });
  return { text: text.replaceAll(oldString, () => newString), replaced: count };
}

function occurrences(text: string, sought: string): number {
  if (!sought.isWellFormed()) return 0;
  let count = 0;
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + sought.length)) count += 1;
  return count;
}

/** Returns the lines around the line of `text` that is most similar to the longest line of `sought`. */
export function nearbyText(text: string, sought: string): string {
  const lines = linesOf(text);
  const longest = linesOf(sought).reduce((best, line) => (line.trim().length > best.length ? line.trim() : best), '');
  const grams = gramsOf(longest.slice(0, longestShown));
  let best = 0;
  let at = 0;
  for (const [index, line] of lines.entries()) {
    const likeness = likenessTo(grams, line.slice(0, longestShown));
    if (likeness > best) [best, at] = [likeness, index];
  }
  return lines
    .slice(Math.max(0, at - around), at + around + 1)
    .map((line) => (line.length > longestShown ? `${line.slice(0, longestShown)}…` : line))
    .join('\n');
}

const gramLength = 3;

function gramsOf(line: string): ReadonlySet<string> {
  const grams = new Set<string>();
  for (let at = 0; at + gramLength <= line.length; at += 1) grams.add(line.slice(at, at + gramLength));
  return grams;
}

/** Jaccard index of the lines' groups of three characters, from 0 to 1. */
function likenessTo(soughtGrams: ReadonlySet<string>, line: string): number {
  const grams = gramsOf(line.trim());
  let shared = 0;
  for (const gram of grams) if (soughtGrams.has(gram)) shared += 1;
  return shared / (soughtGrams.size + grams.size - shared || 1);
}
