import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { foldedName, wrongFileName } from '../../../kernel/text/file-name.js';
import { pageFile } from '../build/source-files.api.js';
import { normalPath } from '../page/page-path.api.js';
import { type RepositoryFile, recordAtPath, unfitFiles } from './site-files.js';

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
