import { QueriesTaken, type Query, QueryGivenUp, type QueryLimits } from '../../../src/ports/read-store.port.js';
import { type OpenStore, useStore } from './read-store-fixture.js';
import { putRow, row, withRows } from './read-store-rows.js';

const generous: QueryLimits = { deadlineMs: 60_000, waitMs: 60_000, waiting: 1_000 };
const where = { workspaceId: 'w1', tableId: 't1' };
const filter = { field: 'values.text', kind: 'text', operator: 'contains', value: 'b' } as const;
const visited = (text: string, visitedSite?: string): Query => ({
  where,
  filter: { ...filter, value: text },
  visitedSite,
});

/**
 * Promises about queries that customers write: each ends within its limits, and those of visitors do not slow down
 * members.
 */
export function readStoreLanesContract(open: OpenStore): void {
  const rows = Array.from({ length: 4_000 }, (_, n) => putRow(row(`r${n}`, { text: `a${n}`.repeat(50) })));

  describe('a query that takes longer than its limit', () => {
    const short = { ...generous, deadlineMs: 1 };
    const fixture = useStore((options) =>
      open({ ...options, limits: { members: short, visitors: short }, slow: true }),
    );

    it.each([
      ['a member', undefined],
      ['a visitor', 's1'],
    ])('is aborted: of %s', async (_, visitedSite) => {
      const store = fixture.store();
      await withRows(store, rows);
      await expect(store.find('rows', visited('b', visitedSite))).rejects.toThrow(QueryGivenUp);
      await expect(store.count('rows', where, { filter, visitedSite })).rejects.toThrow(QueryGivenUp);
      const report = { where, filter, visitedSite, by: [], measures: [{ as: 'n', op: 'count' }] } as const;
      await expect(store.groups('rows', report)).rejects.toThrow(QueryGivenUp);
      expect(await store.get('rows', 'r1')).toMatchObject({ id: 'r1' });
    });
  });

  describe('queries of visitors beyond the queue limit', () => {
    const limits = { members: generous, visitors: { ...generous, waiting: 1 } };
    const fixture = useStore((options) => open({ ...options, limits }));

    it('are refused, but not those in progress nor those of members', async () => {
      const store = fixture.store();
      await withRows(store, rows);
      const visitors = Array.from({ length: 20 }, (_, n) => store.find('rows', visited(`b${n}`, 's1')));
      const members = Array.from({ length: 20 }, (_, n) => store.find('rows', visited(`b${n}`)));
      const outcomes = await Promise.allSettled(visitors);
      const refused = outcomes.filter((one): one is PromiseRejectedResult => one.status === 'rejected');
      expect(new Set(refused.map(({ reason }) => reason.constructor))).toEqual(new Set([QueriesTaken]));
      expect(refused.length).toBeLessThan(20);
      expect(await Promise.all(members)).toEqual(members.map(() => []));
      expect(await store.find('rows', visited('a1', 's1'))).not.toEqual([]);
    });
  });

  describe('a count with a limit', () => {
    const fixture = useStore(open);

    it('stops at the limit', async () => {
      const store = fixture.store();
      await withRows(store, rows);
      expect(await store.count('rows', where, { most: 10 })).toBe(10);
      expect(await store.count('rows', where, { most: 5_000 })).toBe(4_000);
      expect(await store.count('rows', where, { filter: { ...filter, value: 'a' }, most: 7 })).toBe(7);
    });
  });
}
