import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../../../test/support/any-json.js';
import { filledUrl } from './filled-url.js';
import { UnfitValue } from './step-doer.js';

const filled = (template: string, a: string) => filledUrl(template, { values: { input: { a } } });

describe('the address of a request, with values', () => {
  it.each([
    ['https://api.test/x/{{input.a}}', 'a/b?c#d', 'https://api.test/x/a%2Fb%3Fc%23d'],
    ['https://api.test/?q={{input.a}}&r=1', 'x&r=2', 'https://api.test/?q=x%26r%3D2&r=1'],
    ['https://{{input.a}}.api.test/', 'tenant', 'https://tenant.api.test/'],
    ['http://127.0.0.1:{{input.a}}/', '8080', 'http://127.0.0.1:8080/'],
    ['{{input.a}}', 'https://other.test/p?q=1', 'https://other.test/p?q=1'],
  ])('%s and %s', (template, a, url) => {
    expect(filled(template, a)).toBe(url);
  });

  it.each([
    ['https://api.test/x/{{input.a}}/y', '..'],
    ['https://api.test/x/.{{input.a}}/y', '.'],
    ['https://api.test/x/{{input.a}}', '.'],
    ['https://{{input.a}}.api.test/', 'evil.test/'],
    ['https://{{input.a}}.api.test/', 'evil.test#'],
    ['https://{{input.a}}/', 'user@evil.test'],
    ['{{input.a}}/x', 'https://evil.test'],
    ['{{input.a}}', 'no address'],
  ])('%s is not changed in structure by %s', (template, a) => {
    expect(() => filled(template, a)).toThrow(UnfitValue);
  });

  it('any value remains one part of the path or of the query', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: codePoint }), fc.constantFrom('..', '%2e', '\\', '//', '@')), (a) => {
        const url = (() => {
          try {
            return new URL(filled('https://api.test/x/{{input.a}}/y?q={{input.a}}&r=1', a));
          } catch (error) {
            expect(error).toBeInstanceOf(UnfitValue);
            return undefined;
          }
        })();
        if (url === undefined) return;
        const parts = url.pathname.split('/');
        expect([url.host, parts.length, parts[1], parts[3], url.hash]).toEqual(['api.test', 4, 'x', 'y', '']);
        expect(decodeURIComponent(parts[2] ?? '')).toBe(a.toWellFormed());
        expect([...url.searchParams]).toEqual([
          ['q', a.toWellFormed()],
          ['r', '1'],
        ]);
      }),
    );
  });
});
