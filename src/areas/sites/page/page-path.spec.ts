import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { activePath, type Page } from './page.record.js';
import { normalPath, wrongPath } from './page-path.api.js';

const segment = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/^\.\.?$|[/\\\p{Cc}]/u.test(text));

describe('the normal form of a path', () => {
  it.each([
    ['/', '/'],
    ['/abc', '/abc'],
    ['/%61bc', '/abc'],
    ['/%7euser', '/~user'],
    ['/a%2cb', '/a,b'],
    ['/caf%c3%a9', '/caf%C3%A9'],
    ['/100%25', '/100%25'],
    ['/%3aslug', '/%3Aslug'],
    ['/blog/:slug', '/blog/:slug'],
    ['/a/%2E%2E.', '/a/...'],
  ])('spells the path %s as %s', (path, normal) => {
    expect([wrongPath(path), normalPath(path)]).toEqual([undefined, normal]);
  });

  it.each(['', 'abc', '/a//b', '/a/', '/.', '/a/..', '/%2e', '/x/%2E%2e/y', '/%', '/%6', '/%zz', '/%ff', '/%ed%a0%bd'])(
    'does not exist for %p',
    (path) => {
      expect([typeof wrongPath(path), normalPath(path)]).toEqual(['string', undefined]);
    },
  );

  it.each(['%2F', '%2f', '%5C', '%00', '%0a', '%C2%85'])('does not exist with %s in it', (one) => {
    expect(normalPath(`/a${one}b`)).toBeUndefined();
  });

  it('is the same for every escaping of the same characters', () => {
    fc.assert(
      fc.property(segment, (text) => {
        const all = [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
        const normal = normalPath(`/${encodeURIComponent(text)}`);
        expect(normal).toBe(normalPath(`/${all}`));
        expect(normalPath(normal ?? '')).toBe(normal);
        expect(decodeURIComponent(normal ?? '')).toBe(`/${text}`);
      }),
    );
  });

  it('is that of an active page that was recorded with another spelling', () => {
    const { nameOf } = activePath('', '');
    const page = { id: 'page_1', active: true, projectId: 'proj_1' };
    const recorded = (path: string) => nameOf({ ...page, path } as unknown as Page);
    expect(recorded('/%61bc')).toEqual(recorded('/abc'));
    expect(recorded('/x/%2e%2e/y')).not.toEqual(recorded('/y'));
  });
});
