import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  PatternNotSupported,
  PatternTooLarge,
  SearchGivenUp,
  type SearchRequest,
  type TextSearch,
} from '../../../src/ports/offloaded/text-search.port.js';

/** The promises of every `TextSearch` adapter. */
export function textSearchContract(name: string, open: () => TextSearch): void {
  describe(`${name} as a search of texts`, () => {
    let searches: TextSearch;
    beforeEach(() => {
      searches = open();
    });
    afterEach(() => searches.close());

    const search = (text: string, pattern: string, more: Partial<SearchRequest> = {}) =>
      searches.search({ workspaceId: 'w1', text, pattern, contextLines: 0, maxMatches: 100, ...more });
    const lines = async (text: string, pattern: string, more: Partial<SearchRequest> = {}) =>
      (await search(text, pattern, more)).matches.map(({ line }) => line);

    it('finds the lines of a pattern, counted from 1, and shows them unchanged', async () => {
      expect(await lines('one\ntwo\r\nthree two\n\ntwo', 'two')).toEqual([2, 3, 5]);
      expect((await search('one\r\ntwo', 'one')).matches[0]?.text).toBe('one\r');
      expect(await lines('', 'one')).toEqual([]);
    });

    it('shows the requested number of lines around a match', async () => {
      expect((await search('a\nb\nc\nd\ne', '^[be]$', { contextLines: 2 })).matches).toEqual([
        { line: 2, text: 'b', before: ['a'], after: ['c', 'd'] },
        { line: 5, text: 'e', before: ['c', 'd'], after: [] },
      ]);
    });

    it('reports if there are more matches than it shows', async () => {
      const text = Array.from({ length: 50 }, () => 'x').join('\n');
      expect((await search(text, 'x', { maxMatches: 50 })).truncated).toBe(false);
      const some = await search(text, 'x', { maxMatches: 49 });
      expect([some.matches.length, some.truncated]).toEqual([49, true]);
    });

    it('is case-sensitive, and treats text without syntax as plain text', async () => {
      expect(await lines('Card\ncard', 'card')).toEqual([2]);
      expect(await lines('Card\ncard', '(?i)CARD')).toEqual([1, 2]);
      expect(await lines('f(x\nfx', 'f(x')).toEqual([1]);
    });

    it.each(['(?=a)', '(?<!a)b', '(a)\\1'])('refuses %s, which needs backtracking', async (pattern) => {
      const reason = new PatternNotSupported('has a look-around or a back reference');
      await expect(search('aa', pattern)).rejects.toThrow(reason);
    });

    it.each(['a{2000}', 'a{1,1001}', '(a{100}){11}'])('refuses %s, which repeats too often', async (pattern) => {
      const reason = new PatternNotSupported('repeats something more than 1000 times');
      await expect(search('aa', pattern)).rejects.toThrow(reason);
    });

    it('refuses unsupported syntax, and names it', async () => {
      const reason = new PatternNotSupported('has \\u, which RE2 does not support');
      await expect(search('aa', 'a\\u0041')).rejects.toThrow(reason);
    });

    it.each([
      ['repeated repetitions', '(a+)+$', `${'a'.repeat(100_000)}!`],
      ['the same twice', '(a|a)*b', 'a'.repeat(100_000)],
      ['anything, again and again', '(.*)*x', 'a'.repeat(100_000)],
      ['five hundred choices', '(?:a?){500}a{500}', 'a'.repeat(500)],
      ['counts of counts', '((a{0,100}){0,100}){0,100}', 'a'.repeat(1_000)],
      ['twenty thousand alternatives', `(${'a|'.repeat(20_000)}b)`, 'c'.repeat(10_000)],
    ])(
      'survives %s',
      async (_, pattern, text) => {
        const answer = await search(text, pattern).catch((error: unknown) => error);
        const isKnown = [SearchGivenUp, PatternNotSupported, PatternTooLarge].some((type) => answer instanceof type);
        if (!isKnown) expect(answer).toHaveProperty('matches');
        expect(await lines('one', 'one')).toEqual([1]);
      },
      60_000,
    );

    it('refuses a pattern that repeats too much for a long text, but accepts it for a short one', async () => {
      const line = `${'a'.repeat(199)}\n`;
      await expect(search(line.repeat(500), '(a?){200}a{200}')).rejects.toThrow(PatternTooLarge);
      expect(await lines(`${line}${'a'.repeat(200)}`, '(a?){200}a{200}')).toEqual([2]);
      expect(await lines(`${'x'.repeat(100_000)}\nab`, 'a{1,40}b')).toEqual([2]);
    });

    it('returns each answer to its caller, with many at once', async () => {
      const asked = Array.from({ length: 100 }, (_, n) =>
        lines(`${'\n'.repeat(n)}here`, 'here', { workspaceId: `w${n % 5}` }),
      );
      expect((await Promise.all(asked)).flat()).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    });

    it('rejects waiting and new searches when it is closed', async () => {
      const ends = Promise.allSettled(Array.from({ length: 5 }, () => search('one', 'one')));
      await searches.close();
      for (const end of await ends) expect(end.status).toBe('rejected');
      await expect(search('one', 'one')).rejects.toThrow('is stopping');
    });
  });
}
