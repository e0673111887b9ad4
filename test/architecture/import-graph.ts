import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export const root = join(import.meta.dirname, '../..');
/** The files of the product without its specs. */
export const files = globSync('{src,projections}/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.spec.ts'));

export interface Import {
  readonly from: string;
  readonly line: number;
  /** A path relative to the root of the project, or the name of a package. */
  readonly to: string;
}

export const imports: readonly Import[] = files.flatMap((from) =>
  readFileSync(join(root, from), 'utf8')
    .split('\n')
    .flatMap((text, index) => {
      const named = /(?:from|import)\s*\(?\s*'([^']+)'/.exec(text)?.[1];
      if (named === undefined) return [];
      const to = named.startsWith('.') ? normalize(join(dirname(from), named)).replace(/\.js$/, '.ts') : named;
      return [{ from, line: index + 1, to }];
    }),
);

export const isOurs = (to: string) => to.startsWith('src/') || to.startsWith('projections/');
export const within = (file: string, ...folders: string[]) => folders.some((folder) => file.startsWith(`${folder}/`));

/** All files that `first` imports, directly or through others. */
export function reachedFrom(first: string, all: readonly Import[], targets = Map.groupBy(all, ({ from }) => from)) {
  const seen = new Set<string>();
  const open = [first];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const { to } of targets.get(file) ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      open.push(to);
    }
  }
  return [...seen];
}

/** Groups of files that import one another, directly or through others. Each group is one line. */
export function circles(all: readonly Import[]): readonly string[] {
  const targets = Map.groupBy(all, ({ from }) => from);
  const reach = new Map([...targets.keys()].map((from) => [from, new Set(reachedFrom(from, all, targets))]));
  const groups = [...reach].map(([from, seen]) =>
    seen.has(from)
      ? [...seen]
          .filter((to) => reach.get(to)?.has(from))
          .sort()
          .join(', ')
      : '',
  );
  return [...new Set(groups.filter((group) => group !== ''))];
}
