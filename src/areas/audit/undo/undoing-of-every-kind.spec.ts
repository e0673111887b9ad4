import { describe, expect, it } from '@jest/globals';
import '../../../app.module.js';
import { findOperation } from '../../../engine/operation/operation.js';
import { fieldsOf } from '../../../kernel/field/field.js';
import { recordCategories, recordKind } from '../../../kernel/record/record.js';
import type { Setter } from '../../../kernel/record/undoing.js';

const kinds = recordCategories().flatMap((category) => {
  const kind = recordKind(category);
  return kind === undefined ? [] : [kind];
});
const told = kinds.flatMap(({ category, undoing }) => (typeof undoing === 'string' ? [] : [{ category, ...undoing }]));
const named = (setter: string | Setter) => (typeof setter === 'string' ? { operation: setter } : setter);
const sentence = /^[A-Z].*[^.]\.$/;

describe('how every kind of record is undone', () => {
  it('is declared for some', () => expect(told.length).toBeGreaterThan(15));

  it.each(told)('names existing operations, which change something: $category', (one) => {
    const { sets = [], restores, makes, ends, returns } = one;
    const names = [
      ...sets.map((setter) => named(setter).operation),
      restores,
      makes,
      ends,
      ...(returns?.asks ?? []).map(({ operation }) => operation),
    ];
    for (const name of names) {
      if (name !== undefined) expect([name, findOperation(name)?.effect]).toEqual([name, 'command']);
    }
  });

  it.each(told)('names parameters of its operations: $category', ({ sets = [], returns }) => {
    for (const { operation, merges = [], leaves = [], lost = {} } of sets.map(named)) {
      const takes = [...fieldsOf(findOperation(operation)?.input ?? Object).keys()];
      expect(takes).toEqual(expect.arrayContaining([...merges, ...leaves, ...Object.keys(lost)]));
    }
    for (const { field, operation, as = field } of returns?.asks ?? []) {
      expect([...fieldsOf(findOperation(operation)?.input ?? Object).keys()]).toContain(as);
    }
  });

  it.each(told)('states what to do if it cannot be restored, and who may restore it: $category', (one) => {
    if (one.returns === undefined) expect(one.gone).toMatch(sentence);
    else expect([one.gone, one.makes]).toEqual([undefined, expect.any(String)]);
  });

  it.each(kinds)('uses sentences: $category', ({ undoing }) => {
    const said = typeof undoing === 'string' ? [undoing] : [undoing.gone, undoing.otherwise];
    for (const text of said) if (text !== undefined) expect(text).toMatch(sentence);
  });
});
