import fc from 'fast-check';
import type { Json } from '../../../src/kernel/json/json.js';
import { matchesFilter, matchesSearch, ownFieldOf } from '../../../src/kernel/rows/row-filter.js';
import { rowOrder } from '../../../src/kernel/rows/row-order.js';
import { reported } from '../../../src/kernel/rows/row-report.js';
import type { Narrowing, Query, ReadStore, Write } from '../../../src/ports/read-store.port.js';
import { runs } from '../../support/depth.js';
import { type Fixture, idsOf } from './read-store-fixture.js';
import {
  arbitraryFilter,
  arbitraryGrouping,
  arbitraryRow,
  arbitraryRows,
  arbitrarySearch,
  arbitrarySort,
  indexOf,
  putRow,
  type Row,
  row,
  rowCollections,
  valuePaths,
  withRows,
} from './read-store-rows.js';

const where = { tableId: 't1' };

/** Long enough for hundreds of builds on a busy machine, in milliseconds. */
const patienceMs = 180_000;

function kept(rows: readonly Row[], { filter, search }: Narrowing): readonly Row[] {
  return rows
    .filter(({ tableId }) => tableId === 't1')
    .filter((one) => filter === undefined || matchesFilter(one, filter))
    .filter((one) => search === undefined || matchesSearch(one, search));
}

function expectedOf(rows: readonly Row[], query: Omit<Query, 'where'>): readonly Row[] {
  const compare = rowOrder(query.sort ?? []);
  const all = kept(rows, query).toSorted(compare);
  return all.slice(0, query.limit);
}

/** Indexes of some fields, created before, between or after the documents. */
const arbitraryIndexes = fc.array(fc.tuple(fc.constantFrom(...valuePaths, 'createdAt'), fc.nat(25)), { maxLength: 5 });

function writesOf(rows: readonly Row[], indexes: readonly (readonly [string, number])[]): readonly Write[] {
  const writes: Write[] = rows.map((one) => putRow(one));
  for (const [field, at] of indexes) writes.splice(at, 0, indexOf('t1', field));
  return writes;
}

/** Filters, searches, orders and reports must give exactly the result of the reference implementation. */
export function readStoreRowsContract({ store }: Fixture): void {
  let builds = 0;

  async function given(writes: readonly Write[]): Promise<void> {
    const before = await store().active('rows');
    builds += 1;
    await withRows(store(), writes, { projection: 'rows', generation: `r${builds}` });
    if (before !== undefined) await store().discard({ projection: 'rows', generation: before }, rowCollections);
  }

  describe('for any rows', () => {
    const optional = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined });
    const narrowing = fc.record({
      filter: optional(arbitraryFilter),
      search: fc.option(arbitrarySearch, { nil: undefined, freq: 1 }),
    });

    it(
      'lists, counts and pages equal those of the reference implementation',
      async () => {
        const query = fc.record({ narrowing, sort: arbitrarySort, size: fc.integer({ min: 1, max: 5 }) });
        await fc.assert(
          fc.asyncProperty(
            arbitraryRows,
            arbitraryIndexes,
            fc.array(query, { minLength: 1, maxLength: 6 }),
            async (rows, indexes, queries) => {
              await given(writesOf(rows, indexes));
              for (const { narrowing: asked, sort, size } of queries) {
                const expected = idsOf(expectedOf(rows, { ...asked, sort }));
                expect(idsOf(await store().find('rows', { where, ...asked, sort, missing: 'last' }))).toEqual(expected);
                expect(await store().count('rows', where, asked)).toBe(expected.length);
                expect(idsOf(await paged(store(), { where, ...asked, sort, missing: 'last', limit: size }))).toEqual(
                  expected,
                );
              }
            },
          ),
          { numRuns: runs(100) },
        );
      },
      patienceMs,
    );

    it(
      'reports equal those of the reference implementation',
      async () => {
        const asked = fc.record({ narrowing, grouping: arbitraryGrouping });
        await fc.assert(
          fc.asyncProperty(
            arbitraryRows,
            arbitraryIndexes,
            fc.array(asked, { minLength: 1, maxLength: 6 }),
            async (plain, indexes, reports) => {
              const rows = plain.map((one, at) => ({ ...one, values: { ...one.values, ...exactly(at) } }));
              await given(writesOf(rows, indexes));
              for (const { narrowing: some, grouping } of reports) {
                const expected = reported(kept(rows, some), grouping);
                expect(await store().groups('rows', { where, ...some, ...grouping })).toEqual(expected);
              }
            },
          ),
          { numRuns: runs(100) },
        );
      },
      patienceMs,
    );

    it(
      'changed, removed and added rows are found in their new state, and pages skip no row that remains',
      async () => {
        const change = fc.oneof(
          arbitraryRow.map((one): Write => putRow({ ...one, id: `new ${one.id}` }, 1)),
          fc.nat(24).map((at): Write => ({ kind: 'remove', collection: 'rows', id: String(at) })),
        );
        await fc.assert(
          fc.asyncProperty(
            arbitraryRows,
            arbitraryIndexes,
            fc.array(change, { maxLength: 12 }),
            arbitrarySort,
            async (plain, indexes, changes, sort) => {
              const rows = plain.map((one) => ({ ...one, id: `old ${one.id}` }));
              await given(writesOf(rows, indexes));
              const gone = new Set<string>();
              const put = new Set<string>();
              /** Rows changed after they were put may appear twice, at their former position and at the new one. */
              const moved = new Set<string>();
              const pages: Row[] = [];
              for (let after: Query['after'], turn = 0; ; turn += 1) {
                const page = await store().find<Row>('rows', {
                  where,
                  sort,
                  missing: 'last',
                  limit: 2,
                  ...(after && { after }),
                });
                pages.push(...page);
                const last = page.at(-1);
                if (last === undefined) break;
                after = placeOf(last, sort);
                const made = changes.slice(turn * 2, turn * 2 + 2).map((one) => meant(one, rows));
                for (const one of made) {
                  if (one.kind === 'remove') gone.add(one.id);
                  if (one.kind !== 'put') continue;
                  (put.has(one.document.id) ? moved : put).add(one.document.id);
                }
                await commit(made);
              }
              const stayed = expectedOf(rows, { sort }).filter(({ id }) => !gone.has(id));
              const seen = idsOf(pages).filter((id) => id.startsWith('old ') && !gone.has(id));
              expect(seen).toEqual(idsOf(stayed));
              const once = idsOf(pages).filter((id) => !moved.has(id));
              expect(new Set(once).size).toBe(once.length);
            },
          ),
          { numRuns: runs(60) },
        );
      },
      patienceMs,
    );
  });

  async function commit(writes: readonly Write[]): Promise<void> {
    const build = { projection: 'rows', generation: `r${builds}` };
    const at = await store().checkpoint(build);
    const placed = writes.map((one) => ({ ...one, ...(one.kind === 'put' && { position: at + 1 }) }));
    const committed = store().commit(build, at, at + 1, placed);
    store().flushSoon();
    await committed;
  }

  describe('an index of some documents', () => {
    const word = (value: string) => ({ field: 'values.word', kind: 'text', operator: 'eq', value }) as const;
    const found = async (value: string, table = 't1') =>
      idsOf(await store().find('rows', { where: { tableId: table }, filter: word(value) }));

    it('covers every write before and after its creation, and queries see all writes', async () => {
      await given([putRow(row('a', { word: 'x' })), indexOf('t1', 'values.word')]);
      expect(await found('x')).toEqual(['a']);
      for (let turn = 0; turn < 10; turn += 1) {
        await commit([putRow(row('a', { word: `x${turn}` })), putRow(row(`b${turn}`, { word: 'y' }))]);
        expect([await found('x'), await found(`x${turn}`), (await found('y')).length]).toEqual([[], ['a'], turn + 1]);
        expect(await store().count('rows', where, { filter: word('y') })).toBe(turn + 1);
      }
      await commit([{ kind: 'remove', collection: 'rows', id: 'a' }]);
      expect(await found('x9')).toEqual([]);
      await commit([{ kind: 'removeWhere', collection: 'rows', where }]);
      expect([await found('y'), await store().count('rows', where, { filter: word('y') })]).toEqual([[], 0]);
    });

    it('may be created and dropped again and again without affecting answers', async () => {
      const other = { ...row('c', { word: 'x' }), tableId: 't2' };
      await given([putRow(row('a', { word: 'x' })), putRow(row('b', { word: 'y' })), putRow(other)]);
      const states = async () => [await found('x'), await found('y'), await found('x', 't2'), await found('x', 't3')];
      const expected = [['a'], ['b'], ['c'], []];
      const drop = (field?: string): Write => ({
        kind: 'dropIndex',
        collection: 'rows',
        index: { where, ...(field !== undefined && { field }) },
      });
      const make = indexOf('t1', 'values.word');
      const steps = [
        [make],
        [make, make],
        [drop('values.word')],
        [drop()],
        [make, indexOf('t2', 'values.word')],
        [drop()],
      ];
      for (const step of steps) {
        await commit(step);
        expect(await states()).toEqual(expected);
      }
    });

    it('reveals nothing of the rows of another workspace', async () => {
      await given([putRow(row('a', { word: 'x' })), indexOf('t1', 'values.word')]);
      const count = (workspaceId: string) => store().count('rows', { ...where, workspaceId }, { filter: word('x') });
      expect([await count('w1'), await count('w2')]).toEqual([1, 0]);
    });
  });

  describe('a filter', () => {
    it('accepts a list of a hundred thousand, and a thousand parts', async () => {
      await given([
        putRow(row('a', { word: 'x', size: 7 })),
        putRow(row('b', { word: 'y' })),
        indexOf('t1', 'values.word'),
      ]);
      const value = Array.from({ length: 100_000 }, (_, at) => `other ${at}`);
      const among = (operator: 'in' | 'nin', ...more: string[]) =>
        store().find('rows', {
          where,
          filter: { field: 'values.word', kind: 'text', operator, value: [...value, ...more] },
        });
      expect(idsOf(await among('in', 'x'))).toEqual(['a']);
      expect(idsOf(await among('nin', 'x'))).toEqual(['b']);
      const any = value
        .slice(0, 1_000)
        .map((text) => ({ field: 'values.word', kind: 'text', operator: 'eq', value: text }) as const);
      expect(await store().count('rows', where, { filter: { any } })).toBe(0);
      const seven = { field: 'values.size', kind: 'number', operator: 'eq', value: 7 } as const;
      expect(await store().count('rows', where, { filter: { any: [...any, seven] } })).toBe(1);
    });

    it('compares emails without regard to the case of ASCII letters, and of no others', async () => {
      await given([putRow(row('a', { word: 'Ada.K@Example.org' })), putRow(row('b', { word: 'ada.K@example.org\n' }))]);
      const same = (value: string) =>
        ({ field: 'values.word', kind: 'text', operator: 'eqIgnoringCase', value }) as const;
      const found = async (value: string) => idsOf(await store().find('rows', { where, filter: same(value) }));
      expect(await found('aDA.k@example.ORG')).toEqual(['a']);
      expect(await found('ada.\u212a@example.org')).toEqual([]);
      expect(await found('adaxk@example.org')).toEqual([]);
    });

    it('nests eight levels deep and deeper', async () => {
      await given([putRow(row('a', { word: 'x' })), putRow(row('b', {}))]);
      let filter: Parameters<typeof matchesFilter>[1] = {
        field: 'values.word',
        kind: 'text',
        operator: 'eq',
        value: 'x',
      };
      for (let depth = 0; depth < 20; depth += 1) filter = { not: { all: [{ any: [filter] }] } };
      expect(idsOf(await store().find('rows', { where, filter }))).toEqual(['a']);
      expect(idsOf(await store().find('rows', { where, filter: { not: filter } }))).toEqual(['b']);
    });

    it('searches for texts of some thousand characters, but not for longer ones', async () => {
      const word = `${'é'.repeat(3_000)}.*`;
      await given([putRow(row('a', { word: `a${word}b` }))]);
      const part = (value: string) => ({ field: 'values.word', kind: 'text', operator: 'contains', value }) as const;
      expect(await store().count('rows', where, { filter: part(word) })).toBe(1);
      expect(await store().count('rows', where, { filter: part(`${word}*`) })).toBe(0);
      await expect(store().count('rows', where, { filter: part('x'.repeat(4_001)) })).rejects.toThrow(
        'Invalid comparison',
      );
    });

    it.each([
      { field: 'values.word', kind: 'text', operator: 'eq', value: 1 },
      { field: 'values.word', kind: 'text', operator: 'eq' },
      { field: 'values.word', kind: 'text', operator: 'in', value: 'x' },
      { field: 'values.word', kind: 'number', operator: 'contains', value: 1 },
      { field: 'values.word', kind: 'text', operator: 'isEmpty', value: '' },
      { field: 'values.word', kind: 'text', operator: 'constructor', value: '' },
      { field: "values.wo'rd", kind: 'text', operator: 'eq', value: '' },
    ])('that is invalid is an error: %j', async (filter) => {
      await given([putRow(row('a'))]);
      await expect(store().find('rows', { where, filter: filter as never })).rejects.toThrow(
        /^Invalid (?:comparison of|field path)/,
      );
    });
  });
}

const exactly = (at: number): Row['values'] => (at % 4 === 0 ? {} : { exact: (at - 9) / 4 });

/** Replaces the number in a removal by the id of the row at that position. */
const meant = (one: Write, rows: readonly Row[]): Write =>
  one.kind === 'remove' ? { ...one, id: rows[Number(one.id) % Math.max(rows.length, 1)]?.id ?? 'nobody' } : one;

const placeOf = (last: Row, sort: Query['sort']) =>
  [...(sort ?? []).map(([field]) => ownFieldOf(last, field) ?? null), last.id] as (Json &
    (string | number | boolean | null))[];

async function paged(store: ReadStore, query: Query): Promise<readonly Row[]> {
  const pages: Row[] = [];
  for (let after: Query['after']; pages.length < 100; ) {
    const page = await store.find<Row>('rows', { ...query, ...(after && { after }) });
    pages.push(...page);
    const last = page.at(-1);
    if (last === undefined) break;
    after = placeOf(last, query.sort);
  }
  return pages;
}
