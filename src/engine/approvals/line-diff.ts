import { diffArrays } from 'diff';

const longestSearchMs = 150;

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
  /** Line number, counted from 1. Undefined if only the new text has the line. */
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** If computing the diff takes longer than `searchMs`, all old lines are shown as removed and all new ones as added. */
export function lineDiff(before: string, after: string, searchMs = longestSearchMs): readonly DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let first = 0;
  while (first < old.length && first < now.length && old[first] === now[first]) first += 1;
  let last = 0;
  const shorter = Math.min(old.length, now.length);
  while (first + last < shorter && old.at(-1 - last) === now.at(-1 - last)) last += 1;
  const [oldMiddle, nowMiddle] = [old.slice(first, old.length - last), now.slice(first, now.length - last)];
  const runs: readonly (readonly [DiffLine['kind'], readonly string[]])[] = [
    ['same', now.slice(0, first)],
    ...runsOf(oldMiddle, nowMiddle, searchMs),
    ['same', now.slice(now.length - last)],
  ];
  let [oldNumber, nowNumber] = [0, 0];
  return runs.flatMap(([kind, lines]) =>
    lines.map((text): DiffLine => {
      const isInOld = kind !== 'added';
      const isInNew = kind !== 'removed';
      if (isInOld) oldNumber += 1;
      if (isInNew) nowNumber += 1;
      return {
        kind,
        text,
        before: isInOld ? oldNumber : undefined,
        after: isInNew ? nowNumber : undefined,
      };
    }),
  );
}

function runsOf(
  old: string[],
  now: string[],
  timeout: number,
): readonly (readonly [DiffLine['kind'], readonly string[]])[] {
  const parts = diffArrays(old, now, { timeout });
  if (parts === undefined) {
    return [
      ['removed', old],
      ['added', now],
    ];
  }
  return parts.map(({ added, removed, value }) => [added ? 'added' : removed ? 'removed' : 'same', value]);
}

export type DiffRow = DiffLine | { readonly kind: 'left-out'; readonly count: number };

const contextLines = 3;
const worthLeavingOut = 3;

export function withContext(lines: readonly DiffLine[]): readonly DiffRow[] {
  const near = new Uint8Array(lines.length);
  lines.forEach(({ kind }, at) => {
    if (kind !== 'same') near.fill(1, Math.max(0, at - contextLines), at + contextLines + 1);
  });
  const rows: DiffRow[] = [];
  let far: DiffLine[] = [];
  const close = () => {
    if (far.length >= worthLeavingOut) rows.push({ kind: 'left-out', count: far.length });
    else rows.push(...far);
    far = [];
  };
  lines.forEach((line, at) => {
    if (near[at] === 0) far.push(line);
    else {
      close();
      rows.push(line);
    }
  });
  close();
  return rows;
}
