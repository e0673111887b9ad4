import { describe, expect, it } from '@jest/globals';
import { stateOf } from '../../../../test/support/given/given.js';
import type { Condition } from '../../../kernel/condition/condition.js';
import { type FieldRules, type TableEvent, type TableField, type TableRules, tables } from './table.record.js';

const everybody: Condition = { type: 'public', scope: 'everywhere' };
const signedIn: Condition = { type: 'authenticated' };
const field = (id: string, accessRules: FieldRules): TableField => ({
  id,
  name: id,
  type: 'text',
  required: false,
  unique: false,
  indexed: false,
  accessRules,
});
const created = (accessRules: TableRules, ...fields: readonly TableField[]): TableEvent => ({
  type: 'TableCreated',
  data: { baseId: 'base_1', projectId: 'proj_1', name: 'People', description: null, fields, accessRules },
});
const updated = (accessRules: FieldRules): TableEvent => ({
  type: 'TableFieldUpdated',
  data: { field: field('phone', accessRules) },
});
const added = (accessRules: FieldRules): TableEvent => ({
  type: 'TableFieldAdded',
  data: { field: field('city', accessRules) },
});
const opens = (before: TableEvent, event: TableEvent) =>
  tables.opens?.(stateOf(tables, [before]), stateOf(tables, [before, event]));

describe('a field lets in people without a sign-in', () => {
  it('by a rule that its table or another field has too', () => {
    const before = created({ read: everybody }, field('phone', { read: signedIn }), field('name', { read: everybody }));
    expect(opens(before, updated({ read: everybody }))).toBe(true);
    expect(opens(before, added({ write: everybody }))).toBe(true);
  });

  it('by the rules of the table once it has none', () => {
    const closed = field('phone', { read: signedIn, write: signedIn });
    const toAll = (rules: TableRules) => created(rules, closed);
    expect(opens(toAll({ read: everybody }), updated({ write: signedIn }))).toBe(true);
    expect(opens(toAll({ create: everybody }), updated({ read: signedIn }))).toBe(true);
    expect(opens(toAll({ update: everybody }), updated({ read: signedIn }))).toBe(true);
    expect(opens(toAll({ delete: everybody }), updated({}))).toBe(false);
    expect(opens(toAll({ read: signedIn }), updated({}))).toBe(false);
  });

  it('not as a new field without rules, nor when it gets a rule that closes it', () => {
    const before = created({ read: everybody, create: everybody }, field('phone', {}));
    expect(opens(before, added({}))).toBe(false);
    expect(opens(before, updated({ read: signedIn, write: [] }))).toBe(false);
  });
});

describe('a table lets in people without a sign-in', () => {
  const set = (accessRules: TableRules): TableEvent => ({ type: 'TableAccessRulesSet', data: { accessRules } });

  it('by a rule that decided elsewhere before', () => {
    const before = created({ create: everybody }, field('phone', { read: everybody }));
    expect(opens(before, set({ create: everybody, read: everybody }))).toBe(true);
    expect(opens(before, set({ read: signedIn }))).toBe(false);
  });

  it('not by a change that closes it', () => {
    const before = created({ create: everybody, update: everybody }, field('phone', {}));
    expect(opens(before, set({ create: everybody, update: signedIn }))).toBe(false);
    expect(opens(before, set({ create: everybody }))).toBe(false);
  });
});
