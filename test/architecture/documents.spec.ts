import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { apiVersion } from '../../src/http/open-api/parts.js';
import { root } from './import-graph.js';
import { anchorsOf, linesLongerThan, sentencesOf, wordsOf } from './prose.js';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const pages = globSync(['*.md', '{src,test,bench,docker}/**/*.md'], { cwd: root });

/** Leaves out the changelog, which consists of lists. */
const guides = pages.filter((page) => page !== 'CHANGELOG.md');
const mostWords = 30;
const longestLine = 240;

interface Link {
  readonly file: string;
  readonly anchor: string | undefined;
}

/** The links of a page to files of this repository or to its own headings. */
const linksOf = (page: string): readonly Link[] =>
  [...read(page).matchAll(/\]\((?![a-z]+:|\/)([^)\s#]*)(?:#([^)]*))?\)/g)].map(([, address = '', anchor]) => ({
    file: address === '' ? page : join(dirname(page), address),
    anchor,
  }));

describe('pages of the repository', () => {
  it('link only to files and headings that exist', () => {
    const leads = ({ file, anchor }: Link) =>
      existsSync(join(root, file)) &&
      (anchor === undefined || !file.endsWith('.md') || anchorsOf(read(file)).includes(anchor));
    const broken = pages.flatMap((page) =>
      linksOf(page)
        .filter((link) => !leads(link))
        .map(({ file, anchor }) => `${page}: ${file}${anchor === undefined ? '' : `#${anchor}`}`),
    );
    expect(broken).toEqual([]);
  });

  it(`have sentences of at most ${mostWords} words`, () => {
    const long = guides.flatMap((page) =>
      sentencesOf(read(page))
        .filter((sentence) => wordsOf(sentence) > mostWords)
        .map((sentence) => `${page}: ${wordsOf(sentence)} words: ${sentence}`),
    );
    expect(long).toEqual([]);
  });

  it(`have lines of at most ${longestLine} characters outside tables`, () => {
    const wide = guides.flatMap((page) =>
      linesLongerThan(longestLine, read(page)).map((line) => `${page}: ${line.slice(0, 60)}…`),
    );
    expect(wide).toEqual([]);
  });

  it('list every decision once, by its number and title', () => {
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

  it('have a common form if they are decisions, and the index shows their status', () => {
    const index = read('src/decisions/README.md');
    const wrong = globSync('src/decisions/0*.md', { cwd: root }).filter((file) => {
      const [, status = '', body = ''] =
        /^# .+\n\n\*\*Status:\*\* (In force|Replaced in part|Replaced)\b(.*)$/s.exec(read(file)) ?? [];
      const parts = [...body.matchAll(/^## (.*)$/gm)].map(([, part]) => part).join();
      const isListed = index.includes(`](${file.slice('src/decisions/'.length)}) | ${status}`);
      return !isListed || !/^(Context,)?Decision(,Rejected)?(,Consequences)?$/.test(parts);
    });
    expect(wrong).toEqual([]);
  });

  it('answer every open question of the contract that code and tests cite', () => {
    const cited = globSync('{src,projections,test,bench}/**/*.{ts,mjs}', { cwd: root }).flatMap(
      (file) => read(file).match(/\bQ-[AEGLS]\d+\b/g) ?? [],
    );
    const answered = new Set([...read('src/contract-questions.md').matchAll(/^\| (Q-\w+) \|/gm)].map(([, id]) => id));
    expect([...new Set(cited)].filter((id) => !answered.has(id)).sort()).toEqual([]);
  });

  it('describe every setting of the operator', () => {
    const sources = globSync('src/config/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.spec.ts'));
    const settings = new Set(
      sources.flatMap((file) => [...read(file).matchAll(/'([A-Z]+(?:_[A-Z]+)*)'/g)].map(([, name]) => name ?? '')),
    );
    const page = read('docker/README.md');
    const notSettings = ['SIGINT', 'SIGTERM'];
    const missing = [...settings].filter((name) => !notSettings.includes(name) && !page.includes(`\`${name}\``));
    expect(missing).toEqual([]);
  });

  it('give one version of the product: in package.json, in the changelog and in the API documents', () => {
    const [, newest] = /^## \[(\d.*?)\]/m.exec(read('CHANGELOG.md')) ?? [];
    expect([JSON.parse(read('package.json')).version, newest]).toEqual([apiVersion, apiVersion]);
  });
});
