import { RE2JS } from 're2js';
import type { LineMatch, SearchRequest, SearchResult } from '../../../ports/text-search.port.js';

type Search = Omit<SearchRequest, 'workspaceId'>;

/** Of one answer, in characters: a line may have megabytes, and so may its neighbours. */
const mostShown = 1_000_000;

/** Line by line, in time linear in the text. Undefined: a pattern that only a backtracking engine can search for. */
export function searchLines({ text, pattern, contextLines, maxMatches }: Search): SearchResult | undefined {
  const matches = matcherOf(pattern);
  if (matches === undefined) return undefined;
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

function matcherOf(pattern: string): ((line: string) => boolean) | undefined {
  try {
    const compiled = RE2JS.compile(pattern);
    return (line) => compiled.matcher(line).find();
  } catch {
    return isRegExp(pattern) ? undefined : (line) => line.includes(pattern);
  }
}

/** Only compiled, never run. */
function isRegExp(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') !== undefined;
  } catch {
    return false;
  }
}
