import { diffArrays } from 'diff';

/**
 * Limits of the diff, in changed lines and milliseconds, because it blocks the thread. Beyond these limits, a line
 * counts as unchanged if the other text has the same line at any position.
 */
const mostDifferent = 500;
const longestSearchMs = 5;

export function linesChanged(before: string, after: string): number {
  const [old, now] = trimmed(linesOf(before), linesOf(after));
  const parts = diffArrays([...old], [...now], { timeout: longestSearchMs, maxEditLength: mostDifferent });
  if (parts === undefined) return unmatchedLines(old, now);
  let changed = 0;
  let removed = 0;
  for (const part of [...parts, { added: false, removed: false, count: 0 }]) {
    if (part.removed) removed = part.count;
    else {
      changed += part.added ? Math.max(removed, part.count) : removed;
      removed = 0;
    }
  }
  return changed;
}

const linesOf = (code: string): readonly string[] => (code === '' ? [] : code.split('\n'));

function trimmed(old: readonly string[], now: readonly string[]): readonly [readonly string[], readonly string[]] {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return [old.slice(start, old.length - end), now.slice(start, now.length - end)];
}

function unmatchedLines(old: readonly string[], now: readonly string[]): number {
  const left = new Map<string, number>();
  for (const line of old) left.set(line, (left.get(line) ?? 0) + 1);
  let alike = 0;
  for (const line of now) {
    const count = left.get(line) ?? 0;
    if (count === 0) continue;
    left.set(line, count - 1);
    alike += 1;
  }
  return Math.max(old.length, now.length) - alike;
}
