import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { files, root } from './import-graph.js';

interface Exported {
  readonly name: string;
  readonly file: string;
}

const exportedIn = (file: string, text: string): readonly Exported[] =>
  [...text.matchAll(/^export (?:abstract |async )*(?:class|interface|type|function|const) (\w+)/gm)].map(
    ([, name = '']) => ({ name, file }),
  );

/** Adapters of the same port may export the same name. */
const portOf = (file: string) => /^src\/adapters\/[^/]+\//.exec(file)?.[0] ?? file;

/** Each area exports these, with its own refusal codes and those of the areas below it. */
const ofEveryArea = ['refuse', 'refusalOf'];

function severalMeanings(all: readonly Exported[]): readonly string[] {
  return [...Map.groupBy(all, ({ name }) => name)]
    .filter(([name, there]) => !ofEveryArea.includes(name) && new Set(there.map(({ file }) => portOf(file))).size > 1)
    .map(([name, there]) => `${name}: ${there.map(({ file }) => file).join(', ')}`);
}

describe('an exported name', () => {
  it('has one meaning: no other file exports it', () => {
    // The site module is left out, because it is the package for builders of sites and has names of its own.
    const ours = files.filter((file) => !file.startsWith('src/site-module/'));
    const all = ours.flatMap((file) => exportedIn(file, readFileSync(join(root, file), 'utf8')));
    expect(all.length).toBeGreaterThan(3_000);
    expect(severalMeanings(all)).toEqual([]);
  });

  it('that two files export is reported, unless both are adapters of one port', () => {
    const [one, other] = ['export class Reader {}', 'export interface Reader {}'];
    const [here, there] = ['src/adapters/vault/embedded/a.ts', 'src/adapters/vault/mongodb/b.ts'];
    const twice = [...exportedIn('src/kernel/a.ts', one), ...exportedIn('src/kernel/b.ts', other)];
    expect(severalMeanings(twice)).toEqual(['Reader: src/kernel/a.ts, src/kernel/b.ts']);
    expect(severalMeanings([...exportedIn(here, one), ...exportedIn(there, other)])).toEqual([]);
    expect(severalMeanings([...exportedIn(here, `${one}\n${one}`)])).toEqual([]);
  });
});
