import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { differences } from './difference.js';

describe('differences', () => {
  test('names leaves by path, in lists too, with null for missing ones', () => {
    expect(differences({ a: 1, b: { c: [1, 2] }, gone: 'x' }, { a: 1, b: { c: [1, 3, 4] }, come: true })).toEqual([
      { path: 'b.c[1]', from: 2, to: 3 },
      { path: 'b.c[2]', from: null, to: 4 },
      { path: 'come', from: null, to: true },
      { path: 'gone', from: 'x', to: null },
    ]);
  });

  test('a change of type is one difference', () => {
    expect(differences({ a: [1] }, { a: { b: 1 } })).toEqual([{ path: 'a', from: [1], to: { b: 1 } }]);
  });

  test('property: only equal values have no difference', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(differences(a, structuredClone(a))).toEqual([]);
        const same = JSON.stringify(a) === JSON.stringify(b);
        if (differences(a, b).length === 0)
          expect(JSON.parse(JSON.stringify(b))).toEqual(JSON.parse(JSON.stringify(a)));
        else expect(same).toBe(false);
      }),
    );
  });
});
