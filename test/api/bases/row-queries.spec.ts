import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { done } from '../../support/people.js';
import { sharedApp } from '../../support/shared-app.js';

let app: TestApp;
let tableId: string;
const fields = [
  { name: 'name', type: 'text' },
  { name: 'notes', type: 'longText' },
  { name: 'price', type: 'number', indexed: true },
  { name: 'count', type: 'integer' },
  { name: 'sold', type: 'boolean' },
  { name: 'day', type: 'date' },
  { name: 'at', type: 'dateTime' },
  { name: 'kind', type: 'select', options: ['green', 'black', 'white'] },
  { name: 'tags', type: 'multiSelect', options: ['new', 'rare', 'bio'] },
  { name: 'facts', type: 'json' },
];
const rows = [
  {
    name: 'Assam',
    price: 4,
    count: 2,
    sold: true,
    day: '2026-11-01',
    at: '2026-11-01T23:30:00Z',
    kind: 'black',
    tags: ['new', 'bio'],
  },
  {
    name: 'bancha',
    price: 2.5,
    count: 0,
    sold: false,
    day: '2026-11-08',
    at: '2026-11-09T00:30:00+02:00',
    kind: 'green',
    tags: ['bio'],
  },
  { name: 'Ceylon', price: 4, sold: false, day: '2025-12-31', kind: 'black', tags: [], facts: { b: 1, a: [1, 2] } },
  { name: 'Ümit', price: -0.5, count: 7, notes: 'A rare one, 50% off', at: '2026-01-01', tags: ['rare'] },
  { name: '', count: 3, notes: 'From ASSAM' },
  {},
];
beforeAll(async () => {
  app = await sharedApp();
  const { id: baseId } = await done(app, 'bases/createBase', { name: 'Tea' });
  tableId = (await done(app, 'bases/createTable', { baseId, name: 'Teas', fields })).id;
  for (const values of rows) await done(app, 'bases/createRow', { tableId, values });
});
afterAll(() => app.close());

const call = (operation: string, body: object) => app.call(`bases/${operation}`, { tableId, ...body });
const does = (operation: string, body: object = {}) => done(app, `bases/${operation}`, { tableId, ...body });
/** The positions of the listed rows in the unfiltered list. */
const found = async (body: object): Promise<readonly number[]> => {
  const all = (await does('listRows')).rows.map(({ id }: { id: string }) => id);
  return (await does('listRows', body)).rows.map(({ id }: { id: string }) => all.indexOf(id));
};
const wrong = async (reply: ReturnType<typeof call>) => {
  const { status, body } = await reply;
  return [status, body.code, body.fields ?? body.errors?.[0]?.path];
};
const names = fields.map(({ name }) => name);

describe('a filter', () => {
  it.each([
    [{}, [0, 1, 2, 3, 4, 5]],
    [{ name: 'Assam' }, [0]],
    [{ name: 'assam' }, []],
    [{ name: { ne: 'Assam' } }, [1, 2, 3, 4, 5]],
    [{ name: { gt: 'Assam' } }, [1, 2, 3]],
    [{ name: { lte: 'Ceylon' } }, [0, 2, 4]],
    [{ name: { in: ['Assam', 'Ümit', 'none'] } }, [0, 3]],
    [{ name: { in: [] } }, []],
    [{ name: { nin: ['Assam', 'Ümit'] } }, [1, 2, 4, 5]],
    [{ name: { nin: [] } }, [0, 1, 2, 3, 4, 5]],
    [{ name: { contains: 'an' } }, [1]],
    [{ name: { startsWith: 'Ü' } }, [3]],
    [{ notes: { contains: '50% o' } }, [3]],
    [{ notes: { contains: '%' } }, [3]],
    [{ name: { isEmpty: true } }, [4, 5]],
    [{ name: null }, [4, 5]],
    [{ name: { isNotEmpty: true } }, [0, 1, 2, 3]],
    [{ name: { isEmpty: false } }, [0, 1, 2, 3]],
    [{ price: 4 }, [0, 2]],
    [{ price: { ne: 4 } }, [1, 3, 4, 5]],
    [{ price: { gte: -0.5, lt: 4 } }, [1, 3]],
    [{ price: { in: [2.5, -0.5] } }, [1, 3]],
    [{ price: null }, [4, 5]],
    [{ count: { gt: 1.5 } }, [0, 3, 4]],
    [{ count: 0 }, [1]],
    [{ sold: false }, [1, 2]],
    [{ sold: { ne: true } }, [1, 2, 3, 4, 5]],
    [{ day: { lt: '2026-11-08' } }, [0, 2]],
    [{ day: { startsWith: '2026-11' } }, [0, 1]],
    [{ at: '2026-11-08T22:30:00Z' }, [1]],
    [{ at: { gte: '2026-01-01', lt: '2026-11-02' } }, [0, 3]],
    [{ kind: { in: ['green', 'white'] } }, [1]],
    [{ tags: { contains: 'bio' } }, [0, 1]],
    [{ tags: { isEmpty: true } }, [2, 4, 5]],
    [{ facts: { eq: { a: [1, 2], b: 1 } } }, [2]],
    [{ facts: { eq: { a: [2, 1], b: 1 } } }, []],
    [{ facts: { isEmpty: false } }, [2]],
    [{ createdBy: null }, [0, 1, 2, 3, 4, 5]],
    [{ createdAt: { gt: '2000-01-01' } }, [0, 1, 2, 3, 4, 5]],
    [{ id: 'row_none' }, []],
    [{ kind: 'black', price: 4, sold: true }, [0]],
    [{ any: [{ kind: 'green' }, { price: { lt: 0 } }] }, [1, 3]],
    [{ any: [] }, []],
    [{ all: [] }, [0, 1, 2, 3, 4, 5]],
    [{ not: { any: [{ kind: 'black' }, { name: null }] } }, [1, 3]],
    [{ not: { price: { gt: 0 } } }, [3, 4, 5]],
    [{ all: [{ price: 4 }, { not: { all: [{ sold: true }, { any: [{ kind: 'black' }] }] } }] }, [2]],
  ])('%j finds the rows %j, in lists, counts and reports', async (filter, kept) => {
    expect(await found({ filter })).toEqual(kept);
    expect(await does('countRows', { filter })).toEqual({ count: kept.length });
    const spec = { filter, measures: [{ op: 'count' }] };
    expect(await does('reportRows', { spec })).toEqual({ groups: [{ count: kept.length }] });
  });

  it.each([
    [{ name: 1 }, 'name'],
    [{ name: ['a'] }, 'name'],
    [{ name: {} }, 'name'],
    [{ name: { like: 'a' } }, 'name.like'],
    [{ name: { contains: '' } }, 'name.contains'],
    [{ name: { in: 'a' } }, 'name.in'],
    [{ name: { in: [null] } }, 'name.in'],
    [{ price: '4' }, 'price'],
    [{ price: { contains: '4' } }, 'price.contains'],
    [{ sold: 1 }, 'sold'],
    [{ sold: { gt: false } }, 'sold.gt'],
    [{ day: '1.11.2026' }, 'day'],
    [{ at: { lt: '2026-11-01T10:00:00' } }, 'at.lt'],
    [{ tags: { gt: 'a' } }, 'tags.gt'],
    [{ facts: { gt: 1 } }, 'facts.gt'],
    [{ facts: { a: 1 } }, 'facts.a'],
    [{ any: {} }, 'any'],
    [{ all: [1] }, 'all[0]'],
    [{ not: [] }, 'not'],
  ])('%j is refused, with the path', async (filter, path) => {
    const refused = [400, 'invalid-input', `filter.${path}`];
    expect(await wrong(call('listRows', { filter }))).toEqual(refused);
    expect(await wrong(call('countRows', { filter }))).toEqual(refused);
    const spec = { filter, measures: [{ op: 'count' }] };
    expect(await wrong(call('reportRows', { spec }))).toEqual([400, 'invalid-input', `spec.filter.${path}`]);
  });

  it.each(['colour', 'constructor', 'toString', '$where', 'values', 'workspaceId'])(
    'on %s, which is no field, is refused with the names of the fields',
    async (name) => {
      const refused = [400, 'unknown-field', names];
      const filter = { any: [{ not: { [name]: { eq: 'x' } } }] };
      expect(await wrong(call('listRows', { filter }))).toEqual(refused);
      expect(await wrong(call('countRows', { filter }))).toEqual(refused);
      expect(await wrong(call('reportRows', { spec: { filter, measures: [{ op: 'count' }] } }))).toEqual(refused);
      expect(await wrong(call('listRows', { sort: [{ field: name, dir: 'asc' }] }))).toEqual(refused);
      expect(await wrong(call('reportRows', { spec: { groupBy: [name], measures: [{ op: 'count' }] } }))).toEqual(
        refused,
      );
    },
  );

  it('may nest 8 levels deep, and have 500 comparisons at most', async () => {
    const nested = (levels: number): object => (levels === 0 ? { price: 4 } : { any: [nested(levels - 1)] });
    expect(await found({ filter: nested(8) })).toEqual([0, 2]);
    expect((await wrong(call('listRows', { filter: nested(9) })))[1]).toBe('invalid-input');
    expect((await wrong(call('listRows', { filter: nested(300) })))[1]).toBe('invalid-input');
    const any = Array.from({ length: 500 }, (_, n) => ({ name: `no ${n}` }));
    expect(await found({ filter: { any: [...any.slice(1), { price: 4 }] } })).toEqual([0, 2]);
    expect(await wrong(call('listRows', { filter: { any, price: 4 } }))).toEqual([400, 'invalid-input', 'filter']);
  });

  it('accepts a list of 100,000 values, and refuses a longer one', async () => {
    const choices = Array.from({ length: 100_001 }, (_, n) => n);
    expect(await found({ filter: { price: { in: choices.slice(1) } } })).toEqual([0, 2]);
    expect(await wrong(call('listRows', { filter: { price: { in: choices } } }))).toEqual([
      400,
      'invalid-input',
      'filter.price.in',
    ]);
  });
});

describe('an order', () => {
  const asc = (field: string) => ({ field, dir: 'asc' });
  const desc = (field: string) => ({ field, dir: 'desc' });

  it.each([
    [
      [asc('price'), asc('name')],
      [3, 1, 0, 2, 4, 5],
    ],
    [
      [desc('price'), desc('name')],
      [2, 0, 1, 3, 4, 5],
    ],
    [[{ field: 'name' }], [4, 0, 2, 1, 3, 5]],
    [
      [desc('day'), asc('createdAt')],
      [1, 0, 2, 3, 4, 5],
    ],
    [
      [asc('sold'), asc('price')],
      [1, 2, 0, 3],
    ],
    [[desc('createdAt')], [5, 4, 3, 2, 1, 0]],
  ])('%j puts rows without a value last', async (sort, order) => {
    expect((await found({ sort })).slice(0, order.length)).toEqual(order);
  });

  it.each([
    [['price'], 'sort'],
    [[{ field: 1 }], 'sort[0].field'],
    [[{ field: 'price', dir: 'up' }], 'sort[0].dir'],
    [[{ field: 'price', desc: true }], 'sort[0].desc'],
    [[{ field: 'price' }, { field: 'price' }], 'sort[1].field'],
    [[{ field: 'tags' }], 'sort[0].field'],
    [[{ field: 'facts' }], 'sort[0].field'],
    [Array(21).fill({ field: 'price' }), 'sort'],
  ])('refuses the order %j', async (sort, path) => {
    expect(await wrong(call('listRows', { sort }))).toEqual([400, 'invalid-input', path]);
  });
});

describe('a text search', () => {
  it.each([
    ['ASSAM', [0, 4]],
    ['ümit', [3]],
    ['50%', [3]],
    ['_', []],
    ['green', [1]],
    ['2026', []],
  ])('for %s finds it in any text field, in any case', async (search, kept) => {
    expect(await found({ search })).toEqual(kept);
  });

  it('covers only the rows that match the filter', async () => {
    expect(await found({ search: 'assam', filter: { price: 4 } })).toEqual([0]);
    expect((await does('listRows', { search: 'assam', limit: 1 })).total).toBe(2);
  });
});

describe('a report', () => {
  const report = async (spec: object) => (await does('reportRows', { spec })).groups;

  it('measures groups, including rows without a value, and names the measures', async () => {
    const measures = [
      { op: 'count' },
      { op: 'sum', field: 'price' },
      { op: 'avg', field: 'price', as: 'middle' },
      { op: 'min', field: 'name' },
      { op: 'max', field: 'day' },
      { op: 'count', field: 'count' },
    ];
    expect(await report({ groupBy: ['kind'], measures })).toEqual([
      { kind: 'black', count: 2, sum_price: 8, middle: 4, min_name: 'Assam', max_day: '2026-11-01', count_count: 1 },
      {
        kind: 'green',
        count: 1,
        sum_price: 2.5,
        middle: 2.5,
        min_name: 'bancha',
        max_day: '2026-11-08',
        count_count: 1,
      },
      { kind: null, count: 3, sum_price: -0.5, middle: -0.5, min_name: '', max_day: null, count_count: 2 },
    ]);
  });

  it.each([
    ['at', 'day', ['2026-01-01', '2026-11-01', '2026-11-08', null]],
    ['at', 'week', ['2025-12-29', '2026-10-26', '2026-11-02', null]],
    ['day', 'week', ['2025-12-29', '2026-10-26', '2026-11-02', null]],
    ['at', 'month', ['2026-01', '2026-11', null]],
    ['day', 'year', ['2025', '2026', null]],
  ])('groups %s by %s, in UTC and weeks from Monday', async (field, by, groups) => {
    const found = await report({ groupBy: [{ field, by }], measures: [{ op: 'count' }] });
    expect(found.map((group: Record<string, unknown>) => group[field])).toEqual(groups);
  });

  it('is sorted by its parts, and cut', async () => {
    const spec = { groupBy: ['kind'], measures: [{ op: 'count', as: 'n' }], sort: [{ field: 'n', dir: 'desc' }] };
    expect(await report({ ...spec, limit: 2 })).toEqual([
      { kind: null, n: 3 },
      { kind: 'black', n: 2 },
    ]);
    expect(await report({ measures: [{ op: 'max', field: 'count' }], filter: { price: 99 } })).toEqual([
      { max_count: null },
    ]);
  });

  it.each([
    [{}, 'measures'],
    [{ measures: [] }, 'measures'],
    [{ measures: [{ op: 'median', field: 'price' }] }, 'measures[0].op'],
    [{ measures: [{ op: 'sum' }] }, 'measures[0].field'],
    [{ measures: [{ op: 'sum', field: 'name' }] }, 'measures[0].field'],
    [{ measures: [{ op: 'max', field: 'facts' }] }, 'measures[0].field'],
    [{ measures: [{ op: 'count', as: '' }] }, 'measures[0].as'],
    [{ measures: [{ op: 'count' }], groupBy: ['tags'] }, 'groupBy[0]'],
    [{ measures: [{ op: 'count' }], groupBy: [{ field: 'day', by: 'hour' }] }, 'groupBy[0].by'],
    [{ measures: [{ op: 'count' }], groupBy: [{ field: 'name', by: 'day' }] }, 'groupBy[0].by'],
    [{ measures: [{ op: 'count' }], limit: 0 }, 'limit'],
    [{ measures: [{ op: 'count' }], sort: ['count'] }, 'sort[0]'],
    [{ measures: [{ op: 'count' }], having: {} }, 'having'],
  ])('refuses the report %j', async (spec, path) => {
    expect(await wrong(call('reportRows', { spec }))).toEqual([400, 'invalid-input', `spec.${path}`]);
  });

  it('with two parts of one name, or sorted by an unknown one, is refused', async () => {
    const twice = { measures: [{ op: 'count' }, { op: 'count' }] };
    expect(await wrong(call('reportRows', { spec: twice }))).toEqual([400, 'invalid-input', 'spec']);
    const other = { measures: [{ op: 'count' }], sort: [{ field: 'price' }] };
    expect(await wrong(call('reportRows', { spec: other }))).toEqual([400, 'unknown-field', ['count']]);
  });
});
