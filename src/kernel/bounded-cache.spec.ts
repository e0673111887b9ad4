import { expect, it } from '@jest/globals';
import { BoundedCache } from './bounded-cache.js';

const cache = () => new BoundedCache<string>(10, ({ length }) => length);
const names = (of: BoundedCache<string>) => ['a', 'b', 'c', 'd'].filter((name) => of.get(name) !== undefined);

it('drops the least recently used values, as far as its limit requires', () => {
  const kept = cache();
  for (const name of ['a', 'b', 'c']) kept.set(name, 'xxx');
  expect(kept.get('a')).toBe('xxx');
  kept.set('d', 'xxxx');
  expect(names(kept)).toEqual(['a', 'c', 'd']);
});

it('counts a value that replaces another once', () => {
  const kept = cache();
  for (let n = 0; n < 5; n += 1) kept.set('a', 'xxxx');
  kept.set('b', 'xxxxxx');
  expect(names(kept)).toEqual(['a', 'b']);
  kept.set('a', 'xxxxx');
  expect(names(kept)).toEqual(['a']);
});

it('does not store a value above its limit', () => {
  const kept = cache();
  kept.set('a', 'x'.repeat(11));
  expect(names(kept)).toEqual([]);
});
