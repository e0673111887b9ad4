import fc from 'fast-check';
import type { Document, Range, Scalar, Where } from '../../../src/kernel/record/projection.js';
import type { Query } from '../../../src/ports/read-store.port.js';
import type { Thing } from './read-store-fixture.js';

/** Computes the expected result in the simplest way: filter, sort, cut. */
export function expectedOf(things: readonly Document[], query: Query): readonly Document[] {
  const sort = [...(query.sort ?? []), ['id', query.sort?.at(-1)?.[1] ?? 'asc'] as const];
  const keyOf = (one: Document) => sort.map(([field]) => valueAt(one, field));
  const compare = (left: readonly Scalar[], right: readonly Scalar[]) => {
    const signs = sort.map(([, direction], at) => byValue(left[at], right[at]) * (direction === 'asc' ? 1 : -1));
    return signs.find((sign) => sign !== 0) ?? 0;
  };
  const { after, skip = 0 } = query;
  return things
    .filter((one) => matches(one, query.where))
    .filter((one) => after === undefined || compare(keyOf(one), after) > 0)
    .sort((left, right) => compare(keyOf(left), keyOf(right)))
    .slice(skip, query.limit === undefined ? undefined : skip + query.limit);
}

export function matches(one: Document, where: Where): boolean {
  return Object.entries(where).every(([field, wanted]) => {
    const value = valueAt(one, field);
    return typeof wanted === 'object' && wanted !== null ? inRange(value, wanted) : value === wanted;
  });
}

export function valueAt(one: Document, field: string): Scalar {
  const inner = (value: unknown, key: string) => (value as Readonly<Record<string, unknown>> | undefined)?.[key];
  return (field.split('.').reduce<unknown>(inner, one) ?? null) as Scalar;
}

function inRange(value: Scalar, range: Range): boolean {
  const holds = (limit: string | number | undefined, test: (sign: number) => boolean) =>
    limit === undefined || (typeof value === typeof limit && test(byValue(value, limit)));
  return (
    holds(range.gt, (sign) => sign > 0) &&
    holds(range.gte, (sign) => sign >= 0) &&
    holds(range.lt, (sign) => sign < 0) &&
    holds(range.lte, (sign) => sign <= 0) &&
    (range.in === undefined || range.in.includes(value))
  );
}

/** Null sorts first. Texts are sorted by their UTF-8 bytes, which differs from `<` in JavaScript. */
function byValue(left: Scalar | undefined, right: Scalar | undefined): number {
  if (left == null || right == null) return Number(left != null) - Number(right != null);
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return Math.sign(Number(left) - Number(right));
}

const letters = fc.constantFrom(
  'a',
  'b',
  'B',
  '0',
  ' ',
  "'",
  '"',
  '\\',
  '%',
  '_',
  '.',
  '$',
  'é',
  '\uffee',
  '😀',
  '\n',
  '{',
  '[',
);
const text = fc.string({ unit: letters, maxLength: 3 });
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const number = fc.oneof(fc.integer({ min: -2, max: 4 }), double);
const values = {
  id: fc.string({ unit: letters, minLength: 1, maxLength: 3 }),
  workspaceId: fc.constantFrom('w1', 'w2'),
  name: text,
  size: number,
  open: fc.boolean(),
  'owner.name': text,
} satisfies Record<string, fc.Arbitrary<Scalar>>;
type Field = keyof typeof values;
const fields = Object.keys(values) as Field[];

const nullable = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null, freq: 4 });
const one: fc.Arbitrary<Thing> = fc.record(
  {
    id: values.id,
    workspaceId: values.workspaceId,
    name: nullable(values.name),
    size: nullable(values.size),
    open: nullable(values.open),
    owner: fc.record({ name: nullable(text) }, { requiredKeys: [] }),
  },
  { requiredKeys: ['id', 'workspaceId'] },
);
export const arbitraryThings = fc.uniqueArray(one, { selector: ({ id }) => id, maxLength: 25 });

const condition = (field: Field): fc.Arbitrary<Scalar | Range> => {
  const value = nullable<Scalar>(values[field]);
  const choice = fc.record({ in: fc.array(value, { maxLength: 4 }) });
  if (field === 'open') return fc.oneof(value, choice);
  const limit = values[field] as fc.Arbitrary<string | number>;
  const range = fc.record({ gt: limit, gte: limit, lt: limit, lte: limit }, { requiredKeys: [] });
  return fc.oneof(
    value,
    choice,
    range.filter((bounds) => Object.keys(bounds).length > 0),
  );
};

const where: fc.Arbitrary<Where> = fc
  .subarray(fields, { maxLength: 2 })
  .chain((chosen) => fc.tuple(...chosen.map((field) => fc.tuple(fc.constant(field), condition(field)))))
  .map((conditions) => Object.fromEntries(conditions));

const sort = fc
  .shuffledSubarray(fields, { maxLength: 3 })
  .chain((chosen) => fc.tuple(...chosen.map((field) => fc.tuple(fc.constant(field), fc.constantFrom('asc', 'desc')))))
  .map((entries) => entries as readonly (readonly [string, 'asc' | 'desc'])[]);

export const arbitraryQuery: fc.Arbitrary<Query> = fc.record(
  { where, sort, limit: fc.integer({ min: 0, max: 8 }), skip: fc.integer({ min: 0, max: 3 }) },
  { requiredKeys: ['where'] },
);

/** A position after which any query can continue: a value for each of its sort fields, then an id. */
export const arbitraryAfter: fc.Arbitrary<(query: Query) => readonly Scalar[]> = fc
  .record({ ...Object.fromEntries(fields.map((field) => [field, nullable<Scalar>(values[field])])), last: values.id })
  .map((chosen: Readonly<Record<string, Scalar>>) => (query: Query) => [
    ...(query.sort ?? []).map(([field]) => chosen[field] ?? null),
    chosen.last ?? '',
  ]);
