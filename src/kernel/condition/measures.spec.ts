import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { conditions, policySets } from '../../../test/support/conditions/condition-arbitraries.js';
import { policies } from '../../../test/support/conditions/condition-facts.js';
import { runs } from '../../../test/support/depth.js';
import { expand } from './expansion.js';
import { Measures } from './measures.js';
import type { Place } from './places.js';
import { readStored } from './read-condition.js';

const places: readonly Place[] = ['function', 'page', 'table', 'env-var', 'policy'];
const fits = (condition: unknown, place: Place, known: ReturnType<typeof policies>, saved?: string) => {
  const reading = readStored(condition);
  if (!reading.ok || reading.root === undefined) return;
  const { ok } = expand(reading, place, known, saved);
  expect(new Measures(known).kindsOf(reading, place, saved) !== undefined).toBe(ok);
};

test('property: reports a fault exactly if the expansion does', () => {
  fc.assert(
    fc.property(conditions, policySets, fc.constantFrom(...places), (condition, set, place) => {
      fits(condition, place, policies(set), place === 'policy' ? 'p' : undefined);
    }),
    { numRuns: runs(20_000) },
  );
});

const signedIn = { type: 'authenticated' };
const times = (count: number, policy: string) => Array.from({ length: count }, () => ({ policy }));
const nested = (depth: number, inner: unknown): unknown =>
  Array.from({ length: depth }).reduce((condition) => ({ not: condition }), inner);
const chain = (length: number) =>
  Object.fromEntries(Array.from({ length }, (_, n) => [`c${n}`, n === 0 ? signedIn : { policy: `c${n - 1}` }]));
const value = { type: 'user_property', property: 'a', operator: 'eq', value: 'x'.repeat(199_000) };
const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`m${n}`, signedIn]));

test('also around every limit', () => {
  const hundred = { h: Array.from({ length: 98 }, () => signedIn), f: times(99, 'h') };
  for (const place of places) {
    for (const count of [1, 2, 3, 4]) fits({ any: [...times(2, 'f'), ...times(count, 'h')] }, place, policies(hundred));
    for (const depth of [56, 57, 58])
      fits(nested(depth, { policy: 'd' }), place, policies({ d: nested(200, signedIn) }));
    for (const count of [31, 32, 33]) {
      fits({ any: times(count, 'e') }, place, policies({ e: nested(8, signedIn) }));
      fits(times(count, 'e'), place, policies({ e: nested(9, signedIn) }));
    }
    for (const length of [14, 15, 16, 17]) fits({ policy: `c${length - 1}` }, place, policies(chain(length)), 'new');
    for (const count of [20, 21, 22]) fits(times(count, 'v'), place, policies({ v: value }));
    for (const count of [31, 32, 33]) {
      fits(
        Object.keys(many)
          .slice(0, count)
          .map((policy) => ({ policy })),
        place,
        policies(many),
      );
    }
  }
});
