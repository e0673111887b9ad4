import { type Filter, matcherOf, matchesFilter, matchesSearch, type RowComparison } from './row-filter.js';

const document = {
  id: 'row_1',
  values: {
    name: 'Ada',
    age: 36,
    open: false,
    tags: ['a', 'b'],
    none: [],
    blank: '',
    nothing: null,
    data: { b: [1, null], a: { x: '1' } },
  },
};

const of = (
  field: string,
  kind: RowComparison['kind'],
  operator: RowComparison['operator'],
  value?: RowComparison['value'],
) =>
  ({
    field: field === 'id' ? field : `values.${field}`,
    kind,
    operator,
    ...(value !== undefined && { value }),
  }) as const;
const holds = (filter: Filter) => matchesFilter(document, filter);

describe('a comparison', () => {
  it.each([
    of('name', 'text', 'eq', 'Ada'),
    of('name', 'text', 'ne', 'ada'),
    of('name', 'text', 'gt', 'Aaa'),
    of('name', 'text', 'lt', 'a'),
    of('name', 'text', 'lt', '\u{1f600}'),
    of('name', 'text', 'contains', 'd'),
    of('name', 'text', 'startsWith', 'Ad'),
    of('name', 'text', 'in', ['x', 'Ada']),
    of('name', 'text', 'nin', ['x']),
    of('age', 'number', 'eq', 36.0),
    of('age', 'number', 'gte', 36),
    of('open', 'boolean', 'eq', false),
    of('open', 'boolean', 'ne', true),
    of('tags', 'list', 'contains', 'a'),
    of('tags', 'list', 'eq', 'b'),
    of('tags', 'list', 'eq', ['b', 'a', 'a']),
    of('tags', 'list', 'ne', ['a']),
    of('tags', 'list', 'in', ['z', 'b']),
    of('tags', 'list', 'nin', ['z']),
    of('none', 'list', 'eq', []),
    of('data', 'json', 'eq', { a: { x: '1' }, b: [1, null] }),
    of('data', 'json', 'ne', { a: { x: 1 }, b: [1, null] }),
    of('id', 'text', 'eq', 'row_1'),
  ])('holds: %j', (filter) => {
    expect(holds(filter)).toBe(true);
    expect(holds({ not: filter })).toBe(false);
  });

  it.each([
    of('name', 'text', 'contains', 'D'),
    of('name', 'text', 'startsWith', 'da'),
    of('age', 'text', 'eq', '36'),
    of('age', 'number', 'gt', 36),
    of('open', 'number', 'eq', 0),
    of('open', 'number', 'lt', 1),
    of('tags', 'text', 'eq', '["a","b"]'),
    of('tags', 'text', 'contains', 'a'),
    of('data', 'json', 'eq', { a: { x: '1' }, b: [null, 1] }),
    of('constructor', 'json', 'isNotEmpty'),
  ])('does not hold: %j', (filter) => {
    expect(holds(filter)).toBe(false);
  });

  it.each(['nobody', 'nothing'])('of the missing value %s fails all but ne, nin and isEmpty', (field) => {
    for (const operator of ['eq', 'gt', 'gte', 'lt', 'lte', 'contains', 'startsWith'] as const) {
      expect([operator, holds(of(field, 'text', operator, ''))]).toEqual([operator, false]);
    }
    expect(holds(of(field, 'text', 'in', ['']))).toBe(false);
    expect(holds(of(field, 'text', 'isNotEmpty'))).toBe(false);
    expect(holds(of(field, 'text', 'ne', ''))).toBe(true);
    expect(holds(of(field, 'text', 'nin', ['']))).toBe(true);
    expect(holds(of(field, 'text', 'isEmpty'))).toBe(true);
  });

  it('considers a missing value, null, an empty text and an empty list as empty, and nothing else', () => {
    const names = [...Object.keys(document.values), 'nobody'];
    expect(names.filter((name) => holds(of(name, 'text', 'isEmpty')))).toEqual(['none', 'blank', 'nothing', 'nobody']);
  });
});

describe('a group', () => {
  it('of no parts holds for all, and never for any', () => {
    expect([holds({ all: [] }), holds({ any: [] }), holds({ not: { any: [] } })]).toEqual([true, false, true]);
  });

  it('negates any result of a missing value', () => {
    expect(holds({ not: of('nobody', 'number', 'gt', 1) })).toBe(true);
    expect(holds({ not: { all: [of('nobody', 'number', 'gt', 1), of('name', 'text', 'eq', 'Ada')] } })).toBe(true);
  });
});

describe('a filter that is compared with many documents', () => {
  it('walks its values once, and matches what it matches for one document', () => {
    const values = ['x', 'Ada'];
    let walks = 0;
    const every = (check: (value: string) => boolean) => {
      walks++;
      return values.slice().every(check);
    };
    Object.defineProperty(values, 'every', { value: every });
    const filter = { all: [{ not: of('age', 'number', 'gt', 40) }, of('name', 'text', 'in', values)] };
    const matches = matcherOf(filter);
    expect([matches(document), matches({}), matches({ values: { name: 'x' } })]).toEqual([true, false, true]);
    expect(walks).toBe(1);
    expect(holds(filter)).toBe(true);
    expect(walks).toBe(2);
  });

  it('is refused before the first document if any of its comparisons is invalid', () => {
    const invalid = of('age', 'number', 'in', [1, 'two']);
    for (const filter of [{ any: [{ all: [] }, invalid] }, { not: invalid }]) {
      expect(() => matcherOf(filter)).toThrow('Invalid comparison of values.age');
    }
  });
});

describe('a search', () => {
  it('finds a part of a text in any case, in the named fields', () => {
    expect(matchesSearch(document, { fields: ['values.age', 'values.name'], text: 'DA' })).toBe(true);
    expect(matchesSearch(document, { fields: ['values.age', 'values.tags'], text: 'a' })).toBe(false);
    expect(matchesSearch(document, { fields: [], text: '' })).toBe(false);
  });
});
