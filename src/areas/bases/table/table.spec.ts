import { describe, expect, it } from '@jest/globals';
import { given, stateOf } from '../../../../test/support/given/given.js';
import { nothingKnown } from '../../../kernel/condition/check-condition.js';
import type { FieldInput } from './fields.js';
import {
  addField,
  createTable,
  deleteTable,
  removeField,
  setTableAccessRules,
  tableFieldOf,
  updateField,
  updateTable,
} from './table.js';
import { type TableEvent, type TableFacts, type TableField, type TableRules, tables } from './table.record.js';

const field = (id: string, name: string, more: Partial<TableField> = {}): TableField => ({
  id,
  name,
  type: 'text',
  required: false,
  unique: false,
  indexed: false,
  accessRules: {},
  ...more,
});
const onBuyer = { type: 'field_match', field: 'buyer', property: 'id' } as const;
const title = field('fld_1', 'title');
const buyer = field('fld_2', 'buyer', { type: 'user' });
const facts: TableFacts = {
  baseId: 'base_1',
  projectId: 'proj_1',
  name: 'Orders',
  description: 'All of them',
  fields: [title, buyer],
  accessRules: {},
};
const created: TableEvent = { type: 'TableCreated', data: facts };
const siblings = new Set(['tbl_other']);

describe('a new table', () => {
  const { fields: _, accessRules: __, ...plain } = facts;
  const creating = (...fields: readonly FieldInput[]) => ({
    ...plain,
    fields: fields.map((sent, n) => ({ id: `fld_${n + 1}`, field: sent })),
  });

  it('has the sent fields, whose rules may name each other', () => {
    const sent = creating(
      { name: 'title', type: 'text', accessRules: { read: onBuyer } },
      { name: 'buyer', type: 'user' },
    );
    given()
      .when(createTable, sent, siblings, nothingKnown)
      .emits({
        type: 'TableCreated',
        data: { ...facts, fields: [{ ...title, accessRules: { read: onBuyer } }, buyer] },
      });
  });

  it('cannot have two fields of one name, or a rule for an unknown field', () => {
    const twice = creating({ name: 'title', type: 'text' }, { name: 'title', type: 'number' });
    given().when(createTable, twice, siblings, nothingKnown).refuses('field-name-taken');
    const lost = creating({ name: 'title', type: 'text', accessRules: { write: onBuyer } });
    given()
      .when(createTable, lost, siblings, nothingKnown)
      .refuses('invalid-input', { errors: [expect.objectContaining({ path: 'fields[0].accessRules.write.field' })] });
  });

  it('can be described in at most 2 MB', () => {
    const options = Array.from({ length: 1_000 }, (_, n) => `${n}`.padStart(200, 'é'));
    const wide = creating(...[1, 2, 3, 4, 5, 6].map((n): FieldInput => ({ name: `f${n}`, type: 'select', options })));
    given().when(createTable, wide, siblings, nothingKnown).refuses('table-too-large');
    const most = createTable(
      creating(...[1, 2, 3, 4, 5].map((n): FieldInput => ({ name: `f${n}`, type: 'select', options }))),
      siblings,
      nothingKnown,
    );
    given(tables, most)
      .when(addField, { id: 'fld_x', field: { name: 'more', type: 'select', options } }, siblings, nothingKnown)
      .refuses('table-too-large');
  });
});

describe('a table', () => {
  it('is renamed and described; an empty description removes it', () => {
    given(tables, [created]).when(updateTable, { name: 'Orders' }).emitsNothing();
    given(tables, [created])
      .when(updateTable, { name: 'Sales', description: '' })
      .emits({ type: 'TableUpdated', data: { name: 'Sales', description: null } });
  });

  it('is deleted with its base and project', () => {
    given(tables, [created])
      .when(deleteTable)
      .emits({ type: 'TableDeleted', data: { baseId: 'base_1', projectId: 'proj_1' } });
  });

  it('accepts rules that name its fields, once, and loses omitted ones', () => {
    given(tables, [created])
      .when(setTableAccessRules, { read: onBuyer, create: null }, nothingKnown)
      .emits({ type: 'TableAccessRulesSet', data: { accessRules: { read: onBuyer } } });
    const ruled: TableEvent = { type: 'TableAccessRulesSet', data: { accessRules: { read: onBuyer } } };
    given(tables, [created, ruled]).when(setTableAccessRules, { read: onBuyer }, nothingKnown).emitsNothing();
    given(tables, [created, ruled])
      .when(setTableAccessRules, {}, nothingKnown)
      .emits({ type: 'TableAccessRulesSet', data: { accessRules: {} } });
  });

  const partOf: TableEvent = {
    type: 'TableFieldAdded',
    data: { field: field('fld_3', 'part.of', { type: 'relation', targetTableId: 'tbl_1' }) },
  };

  it.each(['buyer', 'part.of.the.buyer'])('accepts a rule with the path %s, with dots in names too', (path) => {
    const read = { type: 'relationship', path } as const;
    given(tables, [created, partOf])
      .when(setTableAccessRules, { read }, nothingKnown)
      .emits({ type: 'TableAccessRulesSet', data: { accessRules: { read } } });
  });

  it.each([
    ['a field that there is not', { ...onBuyer, field: 'seller' }, 'accessRules.update.field'],
    ['a path that leads to no user', { type: 'relationship', path: 'title.owner' }, 'accessRules.update.path'],
    ['a path beyond the user', { type: 'relationship', path: 'buyer.x' }, 'accessRules.update.path'],
    ['a path that is a part of a name', { type: 'relationship', path: 'buy' }, 'accessRules.update.path'],
    ['a path that ends with the relation', { type: 'relationship', path: 'part.of' }, 'accessRules.update.path'],
    ['an unknown type', { type: 'friend' }, 'accessRules.update.type'],
  ])('accepts no rule with %s', (_, update, path) => {
    given(tables, [created, partOf])
      .when(setTableAccessRules, { update } as never, nothingKnown)
      .refuses('invalid-input', { errors: [expect.objectContaining({ path })] });
  });
});

describe('a field', () => {
  const adding = (sent: FieldInput) => ({ id: 'fld_3', field: sent });

  it('is added, under a unique name', () => {
    given(tables, [created])
      .when(addField, adding({ name: 'paid', type: 'boolean', indexed: true }), siblings, nothingKnown)
      .emits({ type: 'TableFieldAdded', data: { field: field('fld_3', 'paid', { type: 'boolean', indexed: true }) } });
    given(tables, [created])
      .when(addField, adding({ name: 'title', type: 'text' }), siblings, nothingKnown)
      .refuses('field-name-taken');
  });

  it('is not the 201st', () => {
    const full: TableEvent = {
      type: 'TableCreated',
      data: { ...facts, fields: Array.from({ length: 200 }, (_, n) => field(`fld_${n}`, `f${n}`)) },
    };
    given(tables, [full])
      .when(addField, { id: 'fld_x', field: { name: 'more', type: 'text' } }, siblings, nothingKnown)
      .refuses('too-many-fields');
  });

  it('is renamed together with the rules that name it', () => {
    const ruled: TableEvent = {
      type: 'TableAccessRulesSet',
      data: { accessRules: { read: { any: [onBuyer, { type: 'relationship', path: 'buyer' }] } } },
    };
    const readable: TableEvent = {
      type: 'TableFieldUpdated',
      data: { field: { ...title, accessRules: { read: { not: onBuyer } } } },
    };
    const renamed = { ...onBuyer, field: 'customer' };
    given(tables, [created, ruled, readable])
      .when(updateField, 'fld_2', { name: 'customer' }, nothingKnown)
      .emits(
        { type: 'TableFieldUpdated', data: { field: { ...title, accessRules: { read: { not: renamed } } } } },
        { type: 'TableFieldUpdated', data: { field: { ...buyer, name: 'customer' } } },
        {
          type: 'TableAccessRulesSet',
          data: { accessRules: { read: { any: [renamed, { type: 'relationship', path: 'customer' }] } } },
        },
      );
  });

  it.each([
    ['owner', 'assignee', 'parent.parent.owner', 'parent.parent.assignee'],
    ['parent', 'boss', 'parent.parent.owner', 'boss.boss.owner'],
    ['owner', 'assignee', 'up.to.owner', 'up.to.assignee'],
    ['up.to', 'below', 'up.to.parent.owner', 'below.parent.owner'],
    ['part.of', 'inside', 'parent.part.of.the.owner', 'parent.inside.the.owner'],
    ['team.lead', 'head', 'team.lead', 'head'],
    ['owner', 'assignee', 'parent.child.owner', 'parent.child.assignee'],
    ['owner', 'head', 'owner.of.owner', 'owner.of.head'],
  ])('that rules reach through relations of the table to itself is renamed there: %s', (from, to, path, after) => {
    const { id } = stateOf(tables, [created]);
    const relation = (targetTableId: string) => ({ type: 'relation', targetTableId }) as const;
    const fields = [
      field('fld_4', 'parent', relation(id)),
      field('fld_5', 'up.to', relation(id)),
      field('fld_6', 'owner', { type: 'user' }),
      field('fld_7', 'team.lead', { type: 'user' }),
      field('fld_8', 'part.of', relation('tbl_other')),
      field('fld_9', 'parent.child', relation(id)),
      field('fld_10', 'owner.of', relation(id)),
    ];
    const rulesWith = (path: string): TableRules => {
      const elsewhere = { type: 'relationship', path: 'other.owner.parent.team.lead' } as const;
      return { read: { any: [{ type: 'relationship', path }, elsewhere] } };
    };
    const before: TableEvent[] = [
      { type: 'TableCreated', data: { ...facts, fields } },
      { type: 'TableAccessRulesSet', data: { accessRules: rulesWith(path) } },
    ];
    const changed = fields.find(({ name }) => name === from) as TableField;
    given(tables, before)
      .when(updateField, changed.id, { name: to }, nothingKnown)
      .emits(
        { type: 'TableFieldUpdated', data: { field: { ...changed, name: to } } },
        { type: 'TableAccessRulesSet', data: { accessRules: rulesWith(after) } },
      );
  });

  it("changes nothing without a difference, and cannot take another's name", () => {
    given(tables, [created])
      .when(updateField, 'fld_1', { name: 'title', required: false }, nothingKnown)
      .emitsNothing();
    given(tables, [created]).when(updateField, 'fld_1', { name: 'buyer' }, nothingKnown).refuses('field-name-taken');
  });

  it('remembers that it became unique over existing rows', () => {
    const [event] = updateField(stateOf(tables, [created]), 'fld_1', { unique: true }, nothingKnown);
    expect(event).toEqual({ type: 'TableFieldUpdated', data: { field: { ...title, unique: true } } });
    const after = stateOf(tables, [created, event as TableEvent]);
    expect(tableFieldOf(after, 'fld_1')).toMatchObject({ unique: true, becameUnique: true });
  });

  it('has rules of its own', () => {
    given(tables, [created])
      .when(updateField, 'fld_1', { accessRules: { read: onBuyer } }, nothingKnown)
      .emits({ type: 'TableFieldUpdated', data: { field: { ...title, accessRules: { read: onBuyer } } } });
  });

  it('is removed, and an unknown one is not found', () => {
    given(tables, [created])
      .when(removeField, 'fld_1')
      .emits({ type: 'TableFieldRemoved', data: { fieldId: 'fld_1' } });
    given(tables, [created]).when(removeField, 'fld_9').refuses('field-not-found');
    given(tables, [created])
      .when(updateField, 'fld_9', {}, nothingKnown)
      .refuses('field-not-found', {
        fields: [
          { id: 'fld_1', name: 'title' },
          { id: 'fld_2', name: 'buyer' },
        ],
      });
  });
});
