import fc from 'fast-check';
import type { Json } from '../../../src/kernel/json/json.js';
import type { Collection, Document } from '../../../src/kernel/record/projection.js';
import {
  type Filter,
  type Kind,
  operatorsOf,
  type RowComparison,
  type Search,
} from '../../../src/kernel/rows/row-filter.js';
import type { Sort } from '../../../src/kernel/rows/row-order.js';
import type { GroupBy, Grouping, Measure } from '../../../src/kernel/rows/row-report.js';
import type { Build, ReadStore, Write } from '../../../src/ports/read-store.port.js';

export interface Row extends Document {
  readonly tableId: string;
  readonly createdAt: string;
  readonly values: Readonly<Record<string, Json>>;
}

export const rowCollections: Readonly<Record<string, Collection>> = {
  rows: { indexes: [{ fields: ['workspaceId', 'tableId', 'createdAt'] }], searchable: ['values'] },
};

export const rowBuild: Build = { projection: 'rows', generation: 'v1_0' };

export const row = (id: string, values: Row['values'] = {}, more: Partial<Row> = {}): Row => ({
  id,
  workspaceId: 'w1',
  tableId: 't1',
  createdAt: '2026-01-01T00:00:00.000Z',
  ...more,
  values,
});

export const putRow = (document: Document, position = 0): Write => ({
  kind: 'put',
  collection: 'rows',
  document,
  position,
});

export const indexOf = (tableId: string, field: string): Write => ({
  kind: 'index',
  collection: 'rows',
  index: { where: { tableId }, field },
});

/** Applies these writes to a build and makes it active. */
export async function withRows(store: ReadStore, writes: readonly Write[], build = rowBuild): Promise<void> {
  await store.prepare(build, rowCollections);
  const from = await store.checkpoint(build);
  const committed = store.commit(build, from, from + 1, writes);
  store.flushSoon();
  await committed;
  await store.activate(build, rowCollections);
}

const letters = [...'aAbB0 \'"\\%_.*$[{(^\n', ...'éÉßẞſsSKkKİıiΣσςÅåÅ', '\uffee', '😀', '𐐀', '𐐨', 'ﬁ'];
const text = fc.string({ unit: fc.constantFrom(...letters), maxLength: 4 });
const number = fc.oneof(
  fc.integer({ min: -3, max: 5 }),
  fc.integer({ min: -40, max: 40 }).map((quarters) => quarters / 4),
  fc.constantFrom(2 ** 53, 2 ** 60, -(2 ** 62), 1e21),
);
const anyNumber = fc.oneof(
  number,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
);
const list = fc.array(text, { maxLength: 3 });
const date = fc
  .integer({ min: Date.UTC(2023, 11, 20), max: Date.UTC(2025, 0, 15) })
  .chain((at) =>
    fc.constantFrom(new Date(at).toISOString(), new Date(at).toISOString().slice(0, 10), '1999-12-31', '9998-02-03'),
  );
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 2 },
    text,
    anyNumber,
    fc.boolean(),
    fc.array(fc.oneof(tie('json'), fc.constant(null)), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '10', 'é', '__proto__'), tie('json'), { maxKeys: 3 }),
  ) as fc.Arbitrary<Json>,
}));

const held = {
  word: text,
  title: text,
  size: number,
  weight: anyNumber,
  open: fc.boolean(),
  tags: list,
  data: json,
  day: date,
  mixed: fc.oneof(text, anyNumber, fc.boolean(), list, json),
} satisfies Readonly<Record<string, fc.Arbitrary<Json>>>;
const names = Object.keys(held) as (keyof typeof held)[];
export const valuePaths = names.map((name) => `values.${name}`);

const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null, freq: 5 });
const values = fc.record(Object.fromEntries(names.map((name) => [name, maybe<Json>(held[name])])), {
  requiredKeys: [],
}) as fc.Arbitrary<Row['values']>;

export const arbitraryRow: fc.Arbitrary<Row> = fc.record({
  id: fc.string({ unit: fc.constantFrom('a', 'b', 'C', '1', 'é'), minLength: 1, maxLength: 3 }),
  workspaceId: fc.constant('w1'),
  tableId: fc.constantFrom('t1', 't1', 't1', 't2'),
  createdAt: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'),
  values,
});
export const arbitraryRows = fc.uniqueArray(arbitraryRow, { selector: ({ id }) => id, maxLength: 25 });

const path = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...valuePaths) },
  { weight: 1, arbitrary: fc.constantFrom('id', 'createdAt', 'values.nobody') },
);
const operandOf: Readonly<Record<Kind, fc.Arbitrary<Json>>> = {
  text: fc.oneof(text, date),
  number: anyNumber,
  boolean: fc.boolean(),
  list,
  json,
};
const own: Readonly<Record<string, Kind>> = {
  size: 'number',
  weight: 'number',
  open: 'boolean',
  tags: 'list',
  data: 'json',
};

const kindFor = (field: string) => {
  const kind = own[field.replace('values.', '')] ?? 'text';
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(kind) },
    { weight: 1, arbitrary: fc.constantFrom<Kind>('text', 'number', 'boolean', 'list', 'json') },
  );
};

const comparison: fc.Arbitrary<RowComparison> = path
  .chain((field) => fc.tuple(fc.constant(field), kindFor(field)))
  .chain(([field, kind]) => fc.tuple(fc.constant({ field, kind }), fc.constantFrom(...operatorsOf(kind))))
  .chain(([{ field, kind }, operator]) =>
    operand(kind, operator).map((value) => ({ field, kind, operator, ...value })),
  );

function operand(kind: Kind, operator: RowComparison['operator']): fc.Arbitrary<Pick<RowComparison, 'value'>> {
  if (operator === 'isEmpty' || operator === 'isNotEmpty') return fc.constant({});
  const single = kind === 'list' ? text : operandOf[kind];
  if (operator === 'in' || operator === 'nin') return fc.array(single, { maxLength: 4 }).map((value) => ({ value }));
  if (operator === 'contains') return single.map((value) => ({ value }));
  return (kind === 'list' ? fc.oneof(list, text) : single).map((value) => ({ value }));
}

export const arbitraryFilter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 5, depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: comparison },
    { weight: 2, arbitrary: fc.array(tie('filter'), { maxLength: 3 }).map((all) => ({ all })) },
    { weight: 2, arbitrary: fc.array(tie('filter'), { maxLength: 3 }).map((any) => ({ any })) },
    { weight: 1, arbitrary: tie('filter').map((not) => ({ not })) },
  ),
})).filter;

export const arbitrarySearch: fc.Arbitrary<Search> = fc.record({
  fields: fc.subarray(['values.word', 'values.title', 'values.mixed', 'values.nobody']),
  text: fc.string({ unit: fc.constantFrom(...letters), maxLength: 2 }),
});

/** Fields whose values all have one type. */
const sortable = ['values.word', 'values.size', 'values.weight', 'values.open', 'values.day', 'createdAt', 'id'];
export const arbitrarySort: fc.Arbitrary<Sort> = fc
  .shuffledSubarray(sortable, { maxLength: 3 })
  .chain((chosen) => fc.tuple(...chosen.map((field) => fc.tuple(fc.constant(field), fc.constantFrom('asc', 'desc')))))
  .map((entries) => entries as Sort);

const groupBy: fc.Arbitrary<Omit<GroupBy, 'as'>> = fc.oneof(
  fc.record({ field: fc.constantFrom('values.word', 'values.mixed', 'createdAt'), kind: fc.constant('text' as const) }),
  fc.record({ field: fc.constantFrom('values.size', 'values.mixed'), kind: fc.constant('number' as const) }),
  fc.record({ field: fc.constantFrom('values.open', 'values.mixed'), kind: fc.constant('boolean' as const) }),
  fc.record({
    field: fc.constantFrom('values.day', 'values.mixed', 'createdAt'),
    kind: fc.constant('text' as const),
    unit: fc.constantFrom('day', 'week', 'month', 'year'),
  }),
);
/** Sums only values that doubles add exactly, in any order. */
const measure: fc.Arbitrary<Omit<Measure, 'as'>> = fc.oneof(
  fc.constant({ op: 'count' as const }),
  fc.record({ op: fc.constant('count' as const), field: fc.constantFrom(...valuePaths) }),
  fc.record({
    op: fc.constantFrom('sum', 'avg', 'min', 'max'),
    field: fc.constantFrom('values.exact', 'values.word'),
    kind: fc.constant('number' as const),
  }),
  fc.record({
    op: fc.constantFrom('min', 'max'),
    field: fc.constantFrom('values.weight', 'values.mixed'),
    kind: fc.constant('number' as const),
  }),
  fc.record({
    op: fc.constantFrom('min', 'max'),
    field: fc.constantFrom('values.word', 'values.day', 'values.mixed'),
    kind: fc.constant('text' as const),
  }),
);

export const arbitraryGrouping: fc.Arbitrary<Grouping> = fc
  .record({ by: fc.array(groupBy, { maxLength: 3 }), measures: fc.array(measure, { maxLength: 3 }) })
  .map(({ by, measures }) => ({
    by: by.map((part, at) => ({ ...part, as: `by ${at}` })),
    measures: measures.map((part, at) => ({ ...part, as: `"measure" ${at}` })),
  }))
  .chain((grouping) =>
    fc
      .record(
        {
          sort: fc
            .shuffledSubarray([...grouping.by, ...grouping.measures].map(({ as }) => as))
            .chain((chosen) =>
              fc.tuple(...chosen.map((as) => fc.tuple(fc.constant(as), fc.constantFrom('asc', 'desc')))),
            ),
          limit: fc.integer({ min: 1, max: 5 }),
        },
        { requiredKeys: [] },
      )
      .map((more) => ({ ...grouping, ...more }) as Grouping),
  );
