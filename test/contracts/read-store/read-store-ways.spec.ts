import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { EmbeddedReadStore } from '../../../src/adapters/read-store/embedded/embedded-read-store.adapter.js';
import { RowQueries } from '../../../src/adapters/read-store/embedded/queries/row-queries.js';
import { Statements } from '../../../src/adapters/read-store/embedded/statements.js';
import { BuildTables, type Room } from '../../../src/adapters/read-store/embedded/tables/build-tables.js';
import type { Document } from '../../../src/kernel/record/projection.js';
import { type Filter, matchesFilter } from '../../../src/kernel/rows/row-filter.js';
import { rowOrder } from '../../../src/kernel/rows/row-order.js';
import { reported } from '../../../src/kernel/rows/row-report.js';
import type { Write } from '../../../src/ports/read-store.port.js';
import { runs } from '../../support/depth.js';
import {
  arbitraryFilter,
  arbitraryGrouping,
  arbitraryRow,
  arbitraryRows,
  arbitrarySort,
  indexOf,
  putRow,
  type Row,
  row,
  rowBuild,
  rowCollections,
  valuePaths,
  withRows,
} from './read-store-rows.js';

/** Records the SQL statements that are used. */
class HeardStatements extends Statements {
  readonly heard: string[] = [];

  override of(sql: string): ReturnType<Statements['of']> {
    this.heard.push(sql);
    return super.of(sql);
  }
}

const where = { workspaceId: 'w1', tableId: 't1' };
/** Long enough for hundreds of builds on a busy machine, in milliseconds. */
const patienceMs = 180_000;

let directory = '';
let store: EmbeddedReadStore;
let database: DatabaseSync;
let statements: HeardStatements;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'read-store-ways-'));
  store = new EmbeddedReadStore({ directory, patienceMs: 0 });
  database = new DatabaseSync(join(directory, 'read.db'));
  statements = new HeardStatements(database);
});
afterEach(async () => {
  database.close();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

let builds = 0;
async function given(writes: readonly Write[]): Promise<Room> {
  const before = await store.active('rows');
  builds += 1;
  await withRows(store, writes, { ...rowBuild, generation: `r${builds}` });
  if (before !== undefined) await store.discard({ ...rowBuild, generation: before }, rowCollections);
  return roomNow();
}

function roomNow(): Room {
  const room = new BuildTables(statements).active('rows');
  if (room === undefined) throw new Error('There is no build.');
  return room;
}

async function commit(writes: readonly Write[]): Promise<void> {
  const build = { ...rowBuild, generation: `r${builds}` };
  const at = await store.checkpoint(build);
  const committed = store.commit(build, at, at + 1, writes);
  store.flushSoon();
  await committed;
}

const everyIndex = valuePaths.map((field) => indexOf('t1', field));
const idsIn = (texts: readonly string[]) => texts.map((text) => (JSON.parse(text) as Document).id);

describe('the plans of a query', () => {
  it(
    'return the same rows, whichever is chosen',
    async () => {
      const sizes = fc.record({ few: fc.nat(5), many: fc.nat(5) });
      const asked = fc.record({ filter: arbitraryFilter, sort: arbitrarySort, grouping: arbitraryGrouping, sizes });
      await fc.assert(
        fc.asyncProperty(arbitraryRows, fc.array(asked, { minLength: 1, maxLength: 8 }), async (rows, questions) => {
          const room = await given([...rows.map((one) => putRow(one)), ...everyIndex]);
          for (const { filter, sort, grouping, sizes: chosen } of questions) {
            const queries = new RowQueries(statements, { sizes: chosen });
            const kept = rows.filter((one) => one.tableId === 't1' && matchesFilter(one, filter));
            const expected = kept.toSorted(rowOrder(sort)).map(({ id }) => id);
            expect(idsIn(queries.find(room, { where, filter, sort, missing: 'last' }))).toEqual(expected);
            expect(queries.count(room, where, { filter })).toBe(expected.length);
            const counts = { by: grouping.by, measures: [{ as: 'n', op: 'count' }] } as const;
            expect(queries.groups(room, { where, filter, ...counts })).toEqual(reported(kept, counts));
          }
        }),
        { numRuns: runs(60) },
      );
    },
    patienceMs,
  );

  it(
    'use equal entries, whether the index was made before the writes or after them',
    async () => {
      const write = fc.oneof(
        { weight: 4, arbitrary: arbitraryRow.map((one): Write => putRow({ ...one, id: one.id.slice(0, 1) })) },
        arbitraryRow.map((one): Write => ({ kind: 'remove', collection: 'rows', id: one.id.slice(0, 1) })),
        fc.constantFrom<Write>(
          { kind: 'removeWhere', collection: 'rows', where: { tableId: 't2' } },
          { kind: 'removeWhere', collection: 'rows', where: { createdAt: '2026-01-01T00:00:00.000Z' } },
          { kind: 'removeWhere', collection: 'rows', where },
        ),
      );
      /** Lists are numbered continuously across builds, so the first number is subtracted. */
      const entries = ({ entries: name, indexes }: Room) => {
        const first = Math.min(...[...indexes.byScope.values()].flat().map(({ values }) => values));
        const sql = `SELECT list - ? AS list, typeof(at), hex(at), found FROM ${name} ORDER BY 1, 2, 3, 4`;
        return database.prepare(sql).all(first);
      };
      await fc.assert(
        fc.asyncProperty(fc.array(write, { maxLength: 20 }), async (writes) => {
          const before = entries(await given([...everyIndex, ...writes]));
          const after = entries(await given([...writes, ...everyIndex]));
          expect(after).toEqual(before);
        }),
        { numRuns: runs(60) },
      );
    },
    patienceMs,
  );

  const text = (field: string, operator: 'eq' | 'gte' | 'startsWith', value: string): Filter => ({
    field: `values.${field}`,
    kind: 'text',
    operator,
    value,
  });
  const among: Filter = { field: 'values.word', kind: 'text', operator: 'in', value: ['a', 'b'] };
  const tagged: Filter = { field: 'values.tags', kind: 'list', operator: 'contains', value: 'a' };
  const cases: readonly [string, Filter][] = [
    ['an equal text', text('word', 'eq', 'a')],
    ['a range', text('word', 'gte', 'a')],
    ['a beginning', text('word', 'startsWith', 'a')],
    ['one of several', among],
    ['a member of a list', tagged],
    ['one of several conditions', { all: [text('title', 'eq', 'z'), { all: [text('word', 'eq', 'a')] }] }],
  ];

  function plans(): readonly string[] {
    const asked = statements.heard.filter((sql) => sql.startsWith('SELECT doc') || sql.startsWith('SELECT count'));
    return asked.map((sql) =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map((step) => String(step['detail']))
        .join('\n'),
    );
  }

  it.each(cases)('begin at the index for %s, and look at no other rows', async (_, filter) => {
    const rows: readonly Row[] = ['a', 'b'].map((id) => row(id, { word: id, tags: [id] }));
    const room = await given([
      ...rows.map((one) => putRow(one)),
      indexOf('t1', 'values.word'),
      indexOf('t1', 'values.tags'),
    ]);
    const queries = new RowQueries(statements);
    queries.find(room, { where, filter, sort: [['createdAt', 'asc']], missing: 'last' });
    queries.count(room, where, { filter: { all: [filter] } });
    const made = plans();
    expect(made.length).toBeGreaterThan(2);
    for (const plan of made) {
      expect(plan).toMatch(/SEARCH rows@r\d+ entries USING PRIMARY KEY \(list=\? AND at/);
      // Rows may only be looked up by id, never scanned.
      expect(plan).not.toContain('SCAN rows@');
      for (const step of plan.split('\n').filter((one) => /SEARCH rows@r\d+ USING/.test(one))) {
        expect(step).toMatch(/\bid=\?\)/);
      }
    }
  });

  it('follow the index for an order from any position, and never sort', async () => {
    const rows: readonly Row[] = ['a', 'b', 'c'].map((id) => row(id, { word: id }));
    const room = await given([...rows.map((one) => putRow(one)), indexOf('t1', 'values.word')]);
    const queries = new RowQueries(statements);
    for (const direction of ['asc', 'desc'] as const) {
      const query = { where, sort: [['values.word', direction] as const], missing: 'last' as const, limit: 1 };
      queries.find(room, query);
      queries.find(room, { ...query, after: ['b', 'b'] });
      queries.find(room, { ...query, after: ['b', 'b'], limit: 9 });
    }
    for (const plan of plans()) {
      expect(plan).toMatch(/SEARCH rows@r\d+ entries USING PRIMARY KEY \(list=\?/);
      expect(plan).not.toContain('TEMP B-TREE');
    }
  });

  it('run without a thread only if they end after few rows', async () => {
    const rows = Array.from({ length: 300 }, (_, at) => row(`r${at}`, { word: at < 5 ? 'few' : 'many', title: 'x' }));
    const room = await given([...rows.map((one) => putRow(one)), indexOf('t1', 'values.word')]);
    const queries = new RowQueries(statements);
    const usual = { where, sort: [['createdAt', 'asc']], missing: 'last', limit: 100 } as const;
    const found = (more: object) => queries.findQuickly(room, { ...usual, ...more })?.length;
    expect([found({}), found({ after: ['2026-01-01T00:00:00.000Z', 'r1'] })]).toEqual([100, 100]);
    expect(found({ sort: [['values.word', 'desc']] })).toBe(100);
    expect(found({ filter: text('word', 'eq', 'few') })).toBe(5);
    expect(found({ filter: { all: [text('word', 'eq', 'few'), text('title', 'eq', 'y')] } })).toBe(0);
    const slow = [
      { limit: undefined },
      { sort: [['values.title', 'asc']] },
      { filter: text('word', 'eq', 'many') },
      { filter: text('title', 'eq', 'x') },
      { search: { fields: ['values.title'], text: 'x' } },
    ];
    expect(slow.map(found)).toEqual(slow.map(() => undefined));
  });

  it('use the declared index for the usual order of a list, and never sort', async () => {
    const room = await given(['a', 'b', 'c'].map((id) => putRow(row(id))));
    const queries = new RowQueries(statements);
    const sort = [['createdAt', 'asc']] as const;
    queries.find(room, { where, sort, missing: 'last', limit: 2 });
    queries.find(room, { where, sort, missing: 'last', limit: 2, after: ['2026-01-01T00:00:00.000Z', 'b'] });
    for (const plan of plans()) expect(plan).not.toMatch(/TEMP B-TREE|SCAN/);
  });

  it('use an index at once that another process has made', async () => {
    await given([putRow(row('a', { word: 'x' }))]);
    const other = new EmbeddedReadStore({ directory, patienceMs: 0 });
    const build = { ...rowBuild, generation: `r${builds}` };
    const made = other.commit(build, await other.checkpoint(build), 9, [indexOf('t1', 'values.word')]);
    other.flushSoon();
    await made;
    expect(roomNow().indexes.byScope.size).toBe(1);
    const at = await store.checkpoint(build);
    const written = store.commit(build, at, at + 1, [putRow(row('b', { word: 'x' }), 10)]);
    store.flushSoon();
    await written;
    const filter = text('word', 'eq', 'x');
    expect((await other.find('rows', { where, filter })).map(({ id }) => id)).toEqual(['a', 'b']);
    await other.close();
  });

  it('leave no entries of dropped indexes', async () => {
    const room = await given([...everyIndex, putRow(row('a', { word: 'x', tags: ['y'] }))]);
    const left = () => database.prepare(`SELECT count(*) AS n FROM ${room.entries}`).get()?.['n'];
    expect(left()).toBe(valuePaths.length + 1);
    await commit([
      { kind: 'dropIndex', collection: 'rows', index: { where: { tableId: 't1' }, field: 'values.tags' } },
    ]);
    expect(left()).toBe(valuePaths.length - 1);
    await commit([{ kind: 'dropIndex', collection: 'rows', index: { where: { tableId: 't1' } } }]);
    expect(left()).toBe(0);
  });
});
