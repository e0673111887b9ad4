import { type Grouping, reported } from './row-report.js';

const rows = [
  { id: 'a', day: '2026-01-01', at: '2025-12-31T23:59:59.999Z', price: 2, city: 'Bonn' },
  { id: 'b', day: '2026-01-04', at: '2026-01-05T00:00:00.000Z', price: 3, city: 'Bonn' },
  { id: 'c', day: '2026-01-05', at: null, city: 'Ulm' },
  { id: 'd', day: 'soon', price: '7' },
];

const by = (unit: 'day' | 'week' | 'month' | 'year', field = 'day'): Grouping => ({
  by: [{ as: 'when', field, kind: 'text', unit }],
  measures: [{ as: 'n', op: 'count' }],
});
const groups = (grouping: Grouping) => reported(rows, grouping).map((group) => Object.values(group));

describe('a report', () => {
  it('groups by day, by week from Monday, by month and by year, in UTC, with rows without a date separately', () => {
    expect(groups(by('day'))).toEqual([
      ['2026-01-01', 1],
      ['2026-01-04', 1],
      ['2026-01-05', 1],
      [null, 1],
    ]);
    expect(groups(by('week'))).toEqual([
      ['2025-12-29', 2],
      ['2026-01-05', 1],
      [null, 1],
    ]);
    expect(groups(by('month'))).toEqual([
      ['2026-01', 3],
      [null, 1],
    ]);
    expect(groups(by('year', 'at'))).toEqual([
      ['2025', 1],
      ['2026', 1],
      [null, 2],
    ]);
  });

  it('measures existing values, and skips others', () => {
    const measures = (['count', 'sum', 'avg', 'min', 'max'] as const).map((op) => ({
      as: op,
      op,
      field: 'price',
      kind: 'number' as const,
    }));
    const city = { as: 'city', field: 'city', kind: 'text' } as const;
    expect(reported(rows, { by: [city], measures, sort: [['sum', 'desc']] })).toEqual([
      { city: 'Bonn', count: 2, sum: 5, avg: 2.5, min: 2, max: 3 },
      { city: 'Ulm', count: 0, sum: 0, avg: null, min: null, max: null },
      { city: null, count: 1, sum: 0, avg: null, min: null, max: null },
    ]);
  });

  it('has one group without a group field, even without rows', () => {
    const measures = [
      { as: 'n', op: 'count' } as const,
      { as: 'most', op: 'max', field: 'price', kind: 'number' } as const,
    ];
    expect(reported([], { by: [], measures })).toEqual([{ n: 0, most: null }]);
  });

  it.each([
    { by: [{ as: 'x', field: 'price', kind: 'number', unit: 'day' }], measures: [] },
    { by: [{ as: 'x', field: 'city', kind: 'text' }], measures: [{ as: 'x', op: 'count' }] },
    { by: [], measures: [{ as: 'x', op: 'sum', field: 'city', kind: 'text' }] },
    { by: [], measures: [{ as: 'x', op: 'max' }] },
    { by: [], measures: [], sort: [['y', 'asc']] },
  ])('that is invalid is an error: %j', (grouping) => {
    expect(() => reported(rows, grouping as Grouping)).toThrow();
  });
});
