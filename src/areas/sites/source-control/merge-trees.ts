import type { GitTree } from '../../../ports/offloaded/git-repositories.port.js';

export interface MergedTrees {
  readonly tree: GitTree;
  /** Sorted paths that both sides changed in different ways. */
  readonly conflicts: readonly string[];
}

/** If only one side changed a path since `base`, that side's version is used. */
export function mergeTrees(base: GitTree, ours: GitTree, theirs: GitTree): MergedTrees {
  const conflicts: string[] = [];
  const merged = new Map(ours);
  for (const path of new Set([...ours.keys(), ...theirs.keys(), ...base.keys()])) {
    const [was, mine, other] = [base.get(path), ours.get(path), theirs.get(path)];
    if (isSame(mine, other) || isSame(was, other)) continue;
    if (!isSame(was, mine)) conflicts.push(path);
    else if (other === undefined) merged.delete(path);
    else merged.set(path, other);
  }
  return { tree: merged, conflicts: conflicts.sort() };
}

type File = Parameters<GitTree['forEach']>[0] extends (value: infer One, ...rest: never) => void ? One : never;

function isSame(one: File | undefined, other: File | undefined): boolean {
  return one?.oid === other?.oid && one?.isExecutable === other?.isExecutable;
}

export function changedPaths(one: GitTree, other: GitTree): readonly string[] {
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((path) => !isSame(one.get(path), other.get(path)))
    .sort();
}
