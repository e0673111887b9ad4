import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../../test/support/any-json.js';
import { isLongerThan } from './code-points.js';

describe('isLongerThan', () => {
  test.each([
    ['letters', 'abc', 3],
    ['characters of two halves', '😀😀', 2],
    ['a character and its variation selector, which are two', '❤️', 2],
    ['nothing', '', 0],
  ])('counts %s', (_, text, length) => {
    expect(isLongerThan(text, length)).toBe(false);
    if (length > 0) expect(isLongerThan(text, length - 1)).toBe(true);
  });

  test('property: equals counting them one by one', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.nat(20), (text, limit) => {
        expect(isLongerThan(text, limit)).toBe(Array.from(text).length > limit);
      }),
    );
  });
});
