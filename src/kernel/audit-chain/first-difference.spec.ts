import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { firstDifference } from './first-difference.js';

const of = (text: string) => [...text];
const difference = (expected: string, actual: string, isWhole = true) =>
  firstDifference(of(expected), of(actual), isWhole);

describe('the first difference between digests', () => {
  test.each([
    ['changed', 'abcd', 'axcd', 1, 0],
    ['changed', 'abcd', 'abcx', 3, 0],
    ['dropped', 'abcd', 'acd', 1, 1],
    ['dropped', 'abcd', 'ad', 1, 2],
    ['inserted', 'abcd', 'abxcd', 2, 0],
    ['reordered', 'abcd', 'acbd', 1, 0],
    ['truncated', 'abcd', 'ab', 2, 2],
    ['truncated', 'abcd', '', 0, 4],
  ])('%s: %s became %s', (how, expected, actual, at, missing) => {
    expect(difference(expected, actual)).toEqual({ how, at, missing });
  });

  test('is none while more may follow, nor if there is more than was expected', () => {
    expect(difference('abcd', 'ab', false)).toBeUndefined();
    expect(difference('ab', 'abcd')).toBeUndefined();
  });

  test('property: one manipulation is identified, with its position', () => {
    const digests = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 3, maxLength: 30 });
    fc.assert(
      fc.property(digests, fc.nat(), (all, seed) => {
        const [spare = '', ...expected] = all;
        const at = seed % (expected.length - 1);
        const [here = '', next = ''] = expected.slice(at);
        const named = (actual: readonly string[]) => firstDifference(expected, actual, true);
        expect(named(expected)).toBeUndefined();
        expect(named(expected.with(at, spare))).toEqual({ how: 'changed', at, missing: 0 });
        expect(named(expected.toSpliced(at, 1))).toEqual({ how: 'dropped', at, missing: 1 });
        expect(named(expected.toSpliced(at, 0, spare))).toEqual({ how: 'inserted', at, missing: 0 });
        expect(named(expected.toSpliced(at, 2, next, here))).toEqual({ how: 'reordered', at, missing: 0 });
        expect(named(expected.slice(0, at))).toEqual({ how: 'truncated', at, missing: expected.length - at });
      }),
    );
  });
});
