import { diffArrays } from 'diff';

/**
 * Everybody waits while a difference is searched for. One of more lines, or that takes longer, is counted line by line,
 * wherever the lines stand.
 */
const mostDifferent = 500;
const longestSearchMs = 5;

/** Code lines that differ between two versions: those that were changed, added or taken away. */
export function linesChanged(before: string, after: string): number {
  const [old, now] = apart(linesOf(before), linesOf(after));
  const parts = diffArrays([...old], [...now], { timeout: longestSearchMs, maxEditLength: mostDifferent });
  if (parts === undefined) return setAside(old, now);
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

/** Without the lines at the beginning and at the end that both have. */
function apart(old: readonly string[], now: readonly string[]): readonly [readonly string[], readonly string[]] {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return [old.slice(start, old.length - end), now.slice(start, now.length - end)];
}

/** How many lines of the longer text have none like them in the other. */
function setAside(old: readonly string[], now: readonly string[]): number {
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
