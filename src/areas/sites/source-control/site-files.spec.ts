import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '../../../kernel/json/json.js';
import { foldedName, wrongFileName } from '../../../kernel/text/file-name.js';
import type { GitTree } from '../../../ports/offloaded/git-repositories.port.js';
import { pageFile } from '../build/source-files.api.js';
import { normalPath } from '../page/page-path.api.js';
import { noSettings, type SiteSettings, wholeEntry } from './settings-file.js';
import { formerPaths, type RepositoryFile, recordAtPath, unfitFiles, withFormerEntries } from './site-files.js';

describe('a file of a site', () => {
  it.each([
    ['pages/index.tsx', { kind: 'page', key: '/' }],
    ['pages/blog/[slug].tsx', { kind: 'page', key: '/blog/:slug' }],
    ['pages/blog/index.tsx', { kind: 'page', key: '/blog/index' }],
    ['components/Hero.tsx', { kind: 'component', key: 'Hero' }],
    ['emails/welcome.html', { kind: 'emailTemplate', key: 'welcome' }],
    ['README.md', undefined],
    ['pages/notes.md', undefined],
    ['src/pages/a.tsx', undefined],
  ])('knows the kind of the file %s: %j', (path, place) => expect(recordAtPath(path)).toEqual(place));

  it.each([
    'pages/ü.tsx',
    'pages/a b.tsx',
    'pages/[a].[b].tsx',
    'pages/[].tsx',
    'pages/%2e%2e.tsx',
    'components/a/B.tsx',
  ])('%s is no record, and is not just carried along', (path) => expect(() => recordAtPath(path)).toThrow(path));

  it("is the page's own, for every path that is not refused", () => {
    const segment = fc.oneof(fc.webSegment(), fc.constantFrom(':slug', ':id', 'index', 'a.b', '(x)'));
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 4 }), (segments) => {
        const path = normalPath(`/${segments.join('/')}`);
        if (path === undefined) return;
        const file: RepositoryFile = { kind: 'page', key: path, path: pageFile({ path }), content: '' };
        const names = segments.filter((one) => one.startsWith(':'));
        if (unfitFiles([file]).length > 0 || new Set(names).size < names.length) return;
        expect(recordAtPath(file.path)).toEqual({ kind: 'page', key: path });
      }),
    );
  });
});

describe('names of files', () => {
  it.each(['a.tsx', 'über', '.gitignore', 'console.tsx', 'a..b'])('%s is a name of a file', (name) =>
    expect(wrongFileName(name)).toBeUndefined(),
  );
  it.each(['', '.', '..', '.git', '.GIT ', 'git~1', '.g\u200cit', 'a/b', 'a\\b', 'con', 'NUL.txt', 'a:', 'a.', 'a '])(
    '%j is not valid',
    (name) => expect(wrongFileName(name)).toBeDefined(),
  );
  it('are equal if some system treats them as equal', () => {
    expect(foldedName('ÉA')).toBe(foldedName('e\u0301a'));
    expect(foldedName('a')).not.toBe(foldedName('b'));
  });
});

const treeOf = (...files: readonly string[]): GitTree =>
  new Map(files.map((name) => [`pages/${name}.tsx`, { oid: name, isExecutable: false }]));
const settings = (pages: Readonly<Record<string, object>>): SiteSettings => ({
  ...noSettings,
  pages: new Map(Object.entries(pages)) as SiteSettings['pages'],
});
const page = (entry: JsonObject = {}) => wholeEntry('pages', '/b', entry);

describe('the former path of a page', () => {
  const committed = settings({ '/a': { title: 'A' }, '/': { title: 'Home', isHomePage: true } });

  it.each<readonly [string, GitTree, Readonly<Record<string, object>>, readonly (readonly string[])[]]>([
    ['is found by its settings', treeOf('index', 'b'), { '/b': page({ title: 'A' }) }, [['/b', '/a']]],
    ['may have been the home page', treeOf('a', 'b'), { '/b': page({ title: 'Home' }) }, [['/b', '/']]],
    ['is none if the settings were edited since', treeOf('index', 'b'), { '/b': page({ title: 'B' }) }, []],
    ['is none if the former path has a file', treeOf('index', 'a', 'b'), { '/b': page({ title: 'A' }) }, []],
    ['is none if the page is not in the commit', treeOf('index'), { '/b': page({ title: 'A' }) }, []],
    ['is none if the page has an entry', treeOf('a', 'index'), { '/a': page({ title: 'Home' }) }, []],
  ])('the former path of a page %s', (_, head, pages, found) => {
    expect([...formerPaths(head, committed, settings(pages))]).toEqual(found);
  });

  it('is not looked for if all settings are defaults', () => {
    const former = formerPaths(treeOf('b'), settings({ '/a': {} }), settings({ '/b': page() }));
    expect([...former]).toEqual([]);
  });

  it('lends its entry until the page has its own, or the former path has a page', () => {
    const former = new Map([['/b', '/']]);
    const home = { title: 'Home', isHomePage: true };
    const entryFrom = (pages: Readonly<Record<string, object>>, tree: GitTree) =>
      withFormerEntries(settings(pages), tree, former).pages.get('/b');
    expect(entryFrom({ '/': home }, treeOf('b'))).toEqual({ title: 'Home', isHomePage: false });
    expect(entryFrom({ '/': home, '/b': { layout: 'wide' } }, treeOf('b'))).toEqual({ layout: 'wide' });
    expect(entryFrom({ '/': home }, treeOf('b', 'index'))).toBeUndefined();
    expect(entryFrom({}, treeOf('b'))).toBeUndefined();
  });
});
