import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { noPolicies, policies } from '../../../test/support/conditions/condition-facts.js';
import { runs } from '../../../test/support/depth.js';
import { chainFault, functionsNamed } from './function-chain.js';

const asking = (functionId: string) => ({ type: 'function', functionId });

describe('the functions that a condition names', () => {
  test.each<readonly [unknown, readonly string[]]>([
    [asking('a'), ['a']],
    [
      [asking('a'), asking('b'), asking('a')],
      ['a', 'b'],
    ],
    [{ all: [{ not: asking('a') }, { any: [{ policy: 'p' }, { type: 'authenticated' }] }] }, ['a', 'c', 'd']],
    [{ type: 'authenticated' }, []],
    [[], []],
    [null, []],
    [undefined, []],
    ['a', []],
    [{ any: [asking('a'), { policy: 'gone' }] }, []],
  ])('the condition %j names the functions %j', (condition, expected) => {
    const known = policies({ p: [asking('c'), { policy: 'q' }], q: asking('d') });
    expect(functionsNamed(condition, 'function', known)).toEqual(expected);
  });

  it('are none where function rules are not permitted', () => {
    expect(functionsNamed(asking('a'), 'page', noPolicies)).toEqual([]);
  });
});

describe('functions whose rules ask one another', () => {
  const named = (graph: Readonly<Record<string, readonly string[]>>) => (id: string) => graph[id] ?? [];

  it('may be four', () => {
    const graph = { a: ['b'], b: ['c'], c: ['d'] };
    expect(chainFault(['a'], named(graph))).toBeUndefined();
    expect(chainFault(['a'], named({ ...graph, d: ['e'] }))).toEqual({
      kind: 'too long',
      chain: ['a', 'b', 'c', 'd', 'e'],
    });
  });

  it('may be reached in several ways, however long a later one is', () => {
    const graph = { a: ['d', 'b'], b: ['c'], c: ['d'], d: [] };
    expect(chainFault(['a'], named(graph))).toBeUndefined();
    expect(chainFault(['d', 'z'], named({ ...graph, z: ['a'] }))).toMatchObject({ kind: 'too long' });
  });

  it('may not form a cycle', () => {
    expect(chainFault(['a'], named({ a: ['a'] }))).toEqual({ kind: 'circular', chain: ['a', 'a'] });
    expect(chainFault(['x', 'a'], named({ a: ['b'], b: ['a'] }))).toEqual({ kind: 'circular', chain: ['a', 'b', 'a'] });
  });

  it('property: are judged like a walk along every chain', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const graphs = fc.dictionary(fc.constantFrom(...ids), fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 2 }), {
      noNullPrototype: true,
    });
    const seen = { sound: 0, wrong: 0 };
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 2 }), graphs, (first, graph) => {
        const isSound = (id: string, depth: number): boolean =>
          depth <= 4 && (graph[id] ?? []).every((next) => isSound(next, depth + 1));
        const sound = first.every((id) => isSound(id, 1));
        seen[sound ? 'sound' : 'wrong'] += 1;
        expect(chainFault(first, named(graph)) === undefined).toBe(sound);
      }),
      { numRuns: runs(3_000) },
    );
    expect(Math.min(seen.sound, seen.wrong)).toBeGreaterThan(20);
  });
});
