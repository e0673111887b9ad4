import type { ContentRecord } from '../snapshot/content-kinds.api.js';
import type { RequestedFile } from './site-files.js';

/** Minimum similarity of a moved page, from 0 to 1. Git uses the same value for renames. */
const leastAlike = 0.5;
/**
 * If there are more pairs of a new and a missing page than this, only pages with equal content are matched, because each
 * comparison takes time.
 */
const mostPairs = 2_500;

/**
 * Moved pages keep their ids and rules. The result is keyed by the new path. Equal pages are matched first, then the
 * most similar ones.
 */
export function movedPages(
  made: readonly RequestedFile[],
  gone: readonly ContentRecord[],
  textOf: (id: string) => string,
): ReadonlyMap<string, ContentRecord> {
  const moved = new Map<string, ContentRecord>();
  const taken = new Set<string>();
  const take = (file: RequestedFile, record: ContentRecord) => {
    moved.set(file.key, record);
    taken.add(record.id);
  };
  const byText = Map.groupBy(gone, ({ id }) => textOf(id));
  for (const file of made) {
    const same = byText.get(file.text ?? '')?.find(({ id }) => !taken.has(id));
    if (same !== undefined && file.text !== '') take(file, same);
  }
  const left = made.filter(({ key }) => !moved.has(key));
  const others = gone.filter(({ id }) => !taken.has(id));
  if (left.length * others.length > mostPairs) return moved;
  const lines = new Map(others.map(({ id }) => [id, linesOf(textOf(id))]));
  const pairs = left.flatMap((file) => {
    const own = linesOf(file.text ?? '');
    return others.map((record) => ({ file, record, alike: likeness(own, lines.get(record.id) ?? new Map()) }));
  });
  for (const { file, record, alike } of pairs.toSorted((one, other) => other.alike - one.alike)) {
    if (alike >= leastAlike && !moved.has(file.key) && !taken.has(record.id)) take(file, record);
  }
  return moved;
}

type Lines = ReadonlyMap<string, number>;

function linesOf(text: string): Lines {
  const counts = new Map<string, number>();
  for (const line of text.split('\n')) {
    const own = line.trim();
    if (own !== '') counts.set(own, (counts.get(own) ?? 0) + own.length);
  }
  return counts;
}

/** From 0 to 1: the total length of the common lines, relative to the larger text. */
function likeness(one: Lines, other: Lines): number {
  const sizeOf = (lines: Lines) => [...lines.values()].reduce((sum, size) => sum + size, 0);
  const larger = Math.max(sizeOf(one), sizeOf(other));
  if (larger === 0) return 0;
  let common = 0;
  for (const [line, size] of one) common += Math.min(size, other.get(line) ?? 0);
  return common / larger;
}
