import { diffArrays } from 'diff';

/** A difference that would take longer to find is counted line by line, wherever the lines stand. */
const longestSearchMs = 200;

/** Code lines that differ between two versions: those that were changed, added or taken away. */
export function linesChanged(before: string, after: string): number {
  const [old, now] = [linesOf(before), linesOf(after)];
  const parts = diffArrays([...old], [...now], { timeout: longestSearchMs });
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
