import { expect, it } from '@jest/globals';
import { ByteCache, largestCached } from './byte-cache.js';

const bytes = (size: number) => new Uint8Array(size);

it('holds the most recently requested bytes, up to its limit', () => {
  const kept = new ByteCache(10);
  for (const name of ['a', 'b', 'c']) kept.keep(name, bytes(3));
  expect(kept.find('a')).toHaveLength(3);
  kept.keep('d', bytes(4));
  expect(['a', 'b', 'c', 'd'].filter((name) => kept.find(name) !== undefined)).toEqual(['a', 'c', 'd']);
  kept.keep('c', bytes(9));
  expect(kept.find('c')).toHaveLength(3);
});

it('does not hold large ones', () => {
  const kept = new ByteCache();
  kept.keep('large', bytes(largestCached + 1));
  expect(kept.find('large')).toBeUndefined();
});
