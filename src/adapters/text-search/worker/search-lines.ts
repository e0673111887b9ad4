import { RE2JS, RE2JSSyntaxException } from 're2js';
import type { LineMatch, SearchRequest, SearchResult } from '../../../ports/offloaded/text-search.port.js';

type Search = Omit<SearchRequest, 'workspaceId'>;

/**
 * Maximum length of the returned matches together, in characters. A line, and each line around it, can have megabytes.
 */
const mostShown = 1_000_000;

/** `notSearched` states why the pattern was not searched for, in a clause whose subject is the pattern. */
export interface NotSearched {
  readonly notSearched: string;
}

/** For a pattern of at most this many instructions, the length of the text is not limited. */
const smallPattern = 100;
/** Maximum number of steps: the pattern's instructions times the text's characters. A step takes up to 0.2 µs. */
const mostSteps = 5_000_000;

/**
 * The time is proportional to the length of the text. A pattern that is not a regular expression is searched for as
 * plain text.
 */
export function searchLines(search: Search): SearchResult | NotSearched | 'too large' {
  const { text, pattern, contextLines, maxMatches } = search;
  const matches = matcherOf(pattern, text.length);
  if (typeof matches !== 'function') return matches;
  const lines = text === '' ? [] : text.split('\n');
  const found: LineMatch[] = [];
  let shown = 0;
  for (const [index, line] of lines.entries()) {
    if (!matches(line)) continue;
    const before = lines.slice(Math.max(0, index - contextLines), index);
    const after = lines.slice(index + 1, index + 1 + contextLines);
    shown += [line, ...before, ...after].reduce((sum, one) => sum + one.length, 0);
    if (found.length === maxMatches || (found.length > 0 && shown > mostShown)) {
      return { matches: found, truncated: true };
    }
    found.push({ line: index + 1, text: line, before, after });
  }
  return { matches: found, truncated: false };
}

const mostRepeats = 1_000;
const backtracks = /\(\?<?[=!]|\\[1-9k]/;

function matcherOf(pattern: string, length: number): ((line: string) => boolean) | NotSearched | 'too large' {
  try {
    const compiled = RE2JS.compile(pattern);
    const size = compiled.programSize();
    if (size > smallPattern && size * length > mostSteps) return 'too large';
    return (line) => compiled.matcher(line).find();
  } catch (error) {
    if (!isRegExp(pattern)) return (line) => line.includes(pattern);
    return { notSearched: reasonOf(error) };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof RE2JSSyntaxException)) return 'is too large to be searched for';
  if (error.error === 'invalid repeat count') return `repeats something more than ${mostRepeats} times`;
  const part = (error.input ?? '').slice(0, 50);
  if (backtracks.test(part)) return 'has a look-around or a back reference';
  return `has ${part}, which RE2 does not support`;
}

function isRegExp(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') !== undefined;
  } catch {
    return false;
  }
}
