import { diffArrays } from 'diff';

/**
 * The diff blocks the thread. If it finds more changed lines than this, or takes too long, lines are counted without
 * regard to their position instead.
 */
const mostDifferent = 500;
const longestSearchMs = 5;

/** How many code lines were changed, added or removed between two versions. */
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

/** Removes the common lines at the beginning and at the end. */
function apart(old: readonly string[], now: readonly string[]): readonly [readonly string[], readonly string[]] {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  return [old.slice(start, old.length - end), now.slice(start, now.length - end)];
}

/** How many lines of the longer text have no equal line in the other text. */
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
