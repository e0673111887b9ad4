import type { Where } from '../../../src/kernel/record/projection.js';
import type { Filter } from '../../../src/kernel/rows/row-filter.js';
import { collections, type Fixture, filled, idsOf, put, thing, v1 } from './read-store-fixture.js';

/** The promises about queries. */
export function readStoreQueriesContract({ store }: Fixture): void {
  describe('a query', () => {
    it('finds nothing while no build is active', async () => {
      await store().prepare(v1, collections);
      await store().commit(v1, -1, 1, [put(thing('a'))]);
      expect(await store().get('things', 'a')).toBeUndefined();
      expect(await store().find('things', { where: {} })).toEqual([]);
      expect(await store().count('things', {})).toBe(0);
    });

    const documents = [
      thing('a', { size: 1, open: true, name: 'Ada' }),
      thing('b', { size: 10, open: false, name: null, owner: { name: 'Zoe' } }),
      thing('c', { size: 2.5, name: 'ada', owner: {} }),
      { ...thing('d', { size: -3, open: true, name: 'Émile', owner: { name: 'Ada' } }), workspaceId: 'w2' },
      thing('e', { size: null, open: null, name: "o'x" }),
    ];

    const cases: readonly [string, Where, readonly string[]][] = [
      ['everything', {}, ['a', 'b', 'c', 'd', 'e']],
      ['an equal text, by its letters exactly', { name: 'ada' }, ['c']],
      ['a text with a quote in it', { name: "o'x" }, ['e']],
      ['an equal number', { size: 2.5 }, ['c']],
      ['true', { open: true }, ['a', 'd']],
      ['false, which is not absent', { open: false }, ['b']],
      ['null, which is null or absent', { open: null }, ['c', 'e']],
      ['a field inside another', { 'owner.name': 'Zoe' }, ['b']],
      ['an absent field inside another', { 'owner.name': null }, ['a', 'c', 'e']],
      ['its own id', { id: 'b' }, ['b']],
      ['more than', { size: { gt: 1 } }, ['b', 'c']],
      ['at least', { size: { gte: 1 } }, ['a', 'b', 'c']],
      ['less than, which null is not', { size: { lt: 2.5 } }, ['a', 'd']],
      ['at most', { size: { lte: 2.5 } }, ['a', 'c', 'd']],
      ['between', { size: { gt: -3, lte: 2.5 } }, ['a', 'c']],
      ['a range of texts, capitals first', { name: { gte: 'A', lt: 'b' } }, ['a', 'c']],
      ['one of several', { size: { in: [1, 10, 99] } }, ['a', 'b']],
      ['one of several with null', { name: { in: ['Ada', null] } }, ['a', 'b']],
      ['one of several truths', { open: { in: [false, null] } }, ['b', 'c', 'e']],
      ['one of none', { size: { in: [] } }, []],
      ['several conditions at once', { workspaceId: 'w1', open: true, size: { gte: 1 } }, ['a']],
      ['a number no text is', { name: 1 }, []],
      ['a text no number is', { size: '1' }, []],
      ['a field nobody has', { colour: 'red' }, []],
    ];

    it.each(cases)('finds, counts and removes %s', async (_, where, expected) => {
      await filled(store(), documents);
      expect(idsOf(await store().find('things', { where }))).toEqual(expected);
      expect(await store().count('things', where)).toBe(expected.length);
      await store().commit(v1, 0, 1, [{ kind: 'removeWhere', collection: 'things', where }]);
      const left = idsOf(documents).filter((id) => !expected.includes(id));
      expect(idsOf(await store().find('things', { where: {} }))).toEqual(left);
    });

    it('counts with a filter, even if nothing is searchable', async () => {
      await filled(store(), documents);
      const isClosed: Filter = { field: 'open', kind: 'boolean', operator: 'eq', value: false };
      const isNamed: Filter = { field: 'name', kind: 'text', operator: 'isNotEmpty' };
      const counted = (filter: Filter) => store().count('things', { workspaceId: 'w1' }, { filter });
      expect(await counted(isClosed)).toBe(1);
      expect(await counted({ all: [isClosed, isNamed] })).toBe(0);
      expect(await counted({ all: [{ not: isClosed }, isNamed] })).toBe(3);
    });

    it('sorts with null and absent first ascending and last descending, ties by id in the same direction', async () => {
      await filled(store(), documents);
      const sorted = async (direction: 'asc' | 'desc') =>
        idsOf(await store().find('things', { where: {}, sort: [['owner.name', direction]] }));
      expect(await sorted('asc')).toEqual(['a', 'c', 'e', 'd', 'b']);
      expect(await sorted('desc')).toEqual(['b', 'd', 'e', 'c', 'a']);
    });

    it('sorts by several fields, each in its direction, ties by id in the direction of the last', async () => {
      await filled(store(), documents);
      const sorted = await store().find('things', {
        where: {},
        sort: [
          ['open', 'desc'],
          ['workspaceId', 'asc'],
        ],
      });
      expect(idsOf(sorted)).toEqual(['a', 'd', 'b', 'c', 'e']);
      const down = await store().find('things', {
        where: {},
        sort: [
          ['open', 'asc'],
          ['workspaceId', 'desc'],
        ],
      });
      expect(idsOf(down)).toEqual(['e', 'c', 'b', 'd', 'a']);
    });

    it('skips documents from the beginning of the order', async () => {
      await filled(store(), documents);
      const all = await store().find('things', { where: {}, sort: [['size', 'desc']] });
      const found = await store().find('things', { where: {}, sort: [['size', 'desc']], limit: 2, skip: 3 });
      expect(idsOf(found)).toEqual(idsOf(all).slice(3, 5));
      expect(await store().find('things', { where: {}, skip: 99 })).toEqual([]);
      await expect(store().find('things', { where: {}, skip: 1, after: ['1'] })).rejects.toThrow('cannot skip');
    });

    it('returns at most the limit, from the beginning of the order', async () => {
      await filled(store(), documents);
      expect(idsOf(await store().find('things', { where: {}, sort: [['size', 'desc']], limit: 2 }))).toEqual([
        'b',
        'c',
      ]);
      expect(await store().find('things', { where: {}, limit: 0 })).toEqual([]);
      expect(await store().find('things', { where: {}, limit: 99 })).toHaveLength(5);
    });

    it('begins after a position, whether or not a document is there', async () => {
      await filled(store(), documents);
      const from = async (sort: readonly (readonly [string, 'asc' | 'desc'])[], ...place: (string | number | null)[]) =>
        idsOf(await store().find('things', { where: {}, sort, after: place }));
      expect(await from([], 'b')).toEqual(['c', 'd', 'e']);
      expect(await from([['size', 'asc']], 1, 'a')).toEqual(['c', 'b']);
      expect(await from([['size', 'asc']], 1, 'A')).toEqual(['a', 'c', 'b']);
      expect(await from([['size', 'asc']], null, 'e')).toEqual(['d', 'a', 'c', 'b']);
      expect(await from([['size', 'desc']], -3, 'd')).toEqual(['e']);
      expect(await from([['size', 'desc']], null, 'e')).toEqual([]);
    });
  });
}
