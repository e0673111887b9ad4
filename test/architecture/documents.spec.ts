import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { apiVersion } from '../../src/http/open-api/parts.js';
import { root } from './import-graph.js';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const pages = globSync(['*.md', '{src,test,bench,docker}/**/*.md'], { cwd: root });

/** The addresses of links of a page that lead to files of this repository. */
const linksOf = (page: string) =>
  [...read(page).matchAll(/\]\((?![a-z]+:|#|\/)([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, address]) => address ?? '');

describe('pages of the repository', () => {
  it('link only to files that exist', () => {
    const broken = pages.flatMap((page) =>
      linksOf(page)
        .filter((address) => !existsSync(join(root, dirname(page), address)))
        .map((address) => `${page}: ${address}`),
    );
    expect(broken).toEqual([]);
  });

  it('list every decision by its number and title, once', () => {
    const index = read('src/decisions/README.md');
    const listed = [...index.matchAll(/^\| (\d+) \| \[([^\]]+)\]\(([^)]+)\) \|/gm)].map(([, number, title, file]) => [
      file,
      `# ${number}. ${title}`,
    ]);
    const there = readdirSync(join(root, 'src/decisions'))
      .filter((file) => file !== 'README.md')
      .map((file) => [file, read(`src/decisions/${file}`).split('\n', 1)[0]]);
    expect(listed).toEqual(there.sort());
    expect(there.filter(([file, title]) => Number(file?.slice(0, 4)) !== Number(title?.match(/\d+/)?.[0]))).toEqual([]);
  });

  it('answer every open question of the contract that code and tests cite', () => {
    const cited = globSync('{src,projections,test,bench}/**/*.{ts,mjs}', { cwd: root }).flatMap(
      (file) => read(file).match(/\bQ-[AEGLS]\d+\b/g) ?? [],
    );
    const answered = new Set([...read('src/contract-questions.md').matchAll(/^\| (Q-\w+) \|/gm)].map(([, id]) => id));
    expect([...new Set(cited)].filter((id) => !answered.has(id)).sort()).toEqual([]);
  });

  it('give one version of the product: in package.json, in the changelog and in the API documents', () => {
    const [, newest] = /^## \[(\d.*?)\]/m.exec(read('CHANGELOG.md')) ?? [];
    expect([JSON.parse(read('package.json')).version, newest]).toEqual([apiVersion, apiVersion]);
  });
});
