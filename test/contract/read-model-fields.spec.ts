import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { slices } from '../../src/areas/areas.slices.js';
import { text } from '../../src/kernel/noun/fields.js';
import { type AnyNoun, allNouns } from '../../src/kernel/noun/noun.js';
import { is } from '../../src/kernel/noun/noun-field.js';

type Frozen = Readonly<Record<string, readonly string[]>>;

const file = join(import.meta.dirname, 'read-model-fields.json');
const frozen: Frozen = JSON.parse(readFileSync(file, 'utf8'));
const generationOf = ({ collection }: Pick<AnyNoun, 'collection'>) => `${collection.name} ${collection.version}`;
const fieldsOf = ({ fields }: Pick<AnyNoun, 'fields'>) =>
  Object.keys(fields)
    .filter((name) => fields[name] !== undefined && !is(fields[name], 'remark'))
    .sort();

/**
 * Returns what is wrong with the fields of a read model, or undefined. The fields of a known version must not change.
 */
function faultOf(noun: Pick<AnyNoun, 'collection' | 'fields'>, known: Frozen): string | undefined {
  const before = known[generationOf(noun)];
  if (before === undefined) {
    return `${generationOf(noun)} is not frozen yet; run this spec with RECORD_FIELDS=1.`;
  }
  const now = fieldsOf(noun);
  const moved = [...now.filter((one) => !before.includes(one)), ...before.filter((one) => !now.includes(one))];
  if (moved.length === 0) return undefined;
  return `${generationOf(noun)} differs in ${moved.join(', ')}; raise the version of its collection, so that it is built anew.`;
}

describe('the fields of read models', () => {
  it('change only together with the version of their collection', () => {
    expect(slices.length).toBeGreaterThan(0);
    if (process.env['RECORD_FIELDS'] === '1') {
      const added = allNouns().map((noun) => [generationOf(noun), fieldsOf(noun)] as const);
      const all = Object.entries({ ...Object.fromEntries(added), ...frozen }).sort(([a], [b]) => (a < b ? -1 : 1));
      writeFileSync(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
      return;
    }
    expect(allNouns().flatMap((noun) => faultOf(noun, frozen) ?? [])).toEqual([]);
  });

  it('are reported if they differ, with instructions', () => {
    const noun = { collection: { name: 'coupons', version: 1, indexes: [] }, fields: { code: text(), color: text() } };
    const of = (known: Frozen) => faultOf(noun as unknown as AnyNoun, known);
    expect(of({ 'coupons 1': ['code', 'color'] })).toBeUndefined();
    expect(of({ 'coupons 1': ['code', 'size'] })).toContain('differs in color, size; raise the version');
    expect(of({})).toContain('is not frozen yet');
  });
});
