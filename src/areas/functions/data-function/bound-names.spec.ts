import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../../test/support/depth.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import type { Table, TableField } from '../../bases/table/table.record.js';
import { boundDefinition, fieldsNamedIn, withNamesOfNow, withoutIds } from './bound-names.api.js';
import { type DataDefinition, isPlaceholder } from './data-definition.api.js';

const names = ['a', 'b', 'c', 'constructor'];
const table = (fields: readonly (readonly [id: string, name: string])[]): Table =>
  ({ id: 'tbl_1', fields: fields.map(([id, name]) => ({ id, name }) as TableField) }) as unknown as Table;
const before = table(names.map((name, at) => [`fld_${at}`, name]));

const name = fc.constantFrom(...names);
const value = fc.constantFrom<JsonObject>({ eq: 1 }, { $param: 'p' }, { eq: { $param: 'p' } });
const compared = fc.dictionary(fc.oneof(name, fc.constant('createdAt')), value, { noNullPrototype: true });
const filter: fc.Arbitrary<JsonObject> = fc.oneof(
  compared,
  fc.record({ not: compared }),
  fc.record({ any: fc.array(compared), all: fc.array(fc.record({ not: compared })) }),
);
const definitions = fc.record({
  kind: fc.constant('list' as const),
  table: fc.constant('posts'),
  filter,
  sort: fc.array(name.map((field) => ({ field, dir: 'asc' }))),
  fields: fc.uniqueArray(name),
  values: fc.dictionary(name, value, { noNullPrototype: true }),
}) as fc.Arbitrary<DataDefinition>;
const laterTables = fc
  .tuple(
    fc.shuffledSubarray([...names, 'd', 'e'], { minLength: 4, maxLength: 4 }),
    fc.oneof(fc.constant<number[]>([]), fc.uniqueArray(fc.nat(3))),
  )
  .map(([later, gone]) =>
    table(later.map((one, at) => [`fld_${at}`, one] as const).filter((_, at) => !gone.includes(at))),
  );

test('property: a definition stays with its fields, whatever later gets their names', () => {
  const seen = { same: 0, refused: 0 };
  fc.assert(
    fc.property(definitions, laterTables, (definition, later) => {
      const saved = boundDefinition(definition, before);
      expect(withoutIds(saved as unknown as JsonObject)).toEqual(definition);
      const idsIn = (one: DataDefinition, { fields }: Table) =>
        fieldsNamedIn(one).map((named) => fields.find((field) => field.name === named.name)?.id);
      const ids = idsIn(definition, before);
      const isThere = ids.every((id) => later.fields.some((field) => field.id === id));
      try {
        const now = withNamesOfNow(saved, later);
        expect([isThere, idsIn(now, later)]).toEqual([true, ids]);
        expect(Object.values(now.values ?? {}).filter(isPlaceholder).length).toBe(
          Object.values(definition.values ?? {}).filter(isPlaceholder).length,
        );
        seen.same += 1;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        expect([isThere, error.code]).toEqual([false, 'data-field-gone']);
        seen.refused += 1;
      }
    }),
    { numRuns: runs(2_000) },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
});
