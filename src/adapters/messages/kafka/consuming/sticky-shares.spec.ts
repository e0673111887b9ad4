import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stickyShares } from './sticky-shares.js';

const partitions = (count: number) => Array.from({ length: count }, (_, n) => n);
const claims = (given: Readonly<Record<string, readonly number[]>>) => new Map(Object.entries(given));

describe('shares of partitions', () => {
  it('gives everything to the only member', () => {
    expect(stickyShares(partitions(3), claims({ a: [] }))).toEqual(claims({ a: [0, 1, 2] }));
  });

  it('takes from those with too much, and nothing from the others', () => {
    const shares = stickyShares(partitions(6), claims({ a: [0, 1, 2, 3], b: [4, 5], c: [] }));
    expect(shares).toEqual(claims({ a: [0, 1], b: [4, 5], c: [2, 3] }));
  });

  it('gives a partition that two claim to one of them', () => {
    const shares = stickyShares(partitions(2), claims({ a: [0], b: [0] }));
    expect(shares).toEqual(claims({ a: [0], b: [1] }));
  });

  it('gives every partition to exactly one, evenly, with any claims', () => {
    const claimed = fc.dictionary(fc.string({ minLength: 1 }), fc.array(fc.nat(30), { maxLength: 40 }), { minKeys: 1 });
    fc.assert(
      fc.property(fc.nat(30), claimed, (count, given) => {
        const shares = [...stickyShares(partitions(count), claims(given)).values()];
        expect(shares.flat().sort((a, b) => a - b)).toEqual(partitions(count));
        const sizes = shares.map(({ length }) => length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('moves nothing if no member joined or left', () => {
    fc.assert(
      fc.property(fc.nat(30), fc.integer({ min: 1, max: 8 }), (count, members) => {
        const none = new Map(partitions(members).map((n) => [`m${n}`, [] as number[]]));
        const shares = stickyShares(partitions(count), none);
        expect(stickyShares(partitions(count), shares)).toEqual(shares);
      }),
    );
  });
});
