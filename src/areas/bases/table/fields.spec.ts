import { describe, expect, it } from '@jest/globals';
import { refusalOf } from '../../../../test/support/given/given.js';
import { wrongFieldName, wrongTableName } from './field-names.api.js';
import { changedField, type FieldInput, newField } from './fields.js';

const siblings = new Set(['tbl_1']);
const made = (more: Partial<FieldInput>) =>
  newField('fld_1', { name: 'f', type: 'text', ...more }, siblings, 'fields[2]');
const wrong = (make: () => unknown) => refusalOf(make).facts.errors;

describe('a new field', () => {
  it('is neither required, unique nor indexed by default', () => {
    expect(made({})).toEqual({
      id: 'fld_1',
      name: 'f',
      type: 'text',
      required: false,
      unique: false,
      indexed: false,
      accessRules: {},
    });
    expect(made({ type: 'relation', targetTableId: 'tbl_1' })).toMatchObject({ targetTableId: 'tbl_1' });
    expect(made({ type: 'select', options: ['a', 'b'] })).toMatchObject({ options: ['a', 'b'] });
    expect(made({ options: [] })).not.toHaveProperty('options');
  });

  it.each<[string, Partial<FieldInput>, string, string]>([
    ['unique json', { type: 'json', unique: true }, 'unique', 'must be omitted or false for the type json'],
    [
      'unique multiSelect',
      { type: 'multiSelect', unique: true, options: ['a'] },
      'unique',
      'must be omitted or false for the type multiSelect',
    ],
    ['options of a text', { options: ['a'] }, 'options', 'are only allowed for select and multiSelect'],
    ['a select without options', { type: 'select' }, 'options', 'must list at least one string'],
    ['no options at all', { type: 'multiSelect', options: [] }, 'options', 'must list at least one string'],
    [
      '1,001 options',
      { type: 'select', options: Array.from({ length: 1_001 }, (_, n) => `${n}`) },
      'options',
      'must have at most 1000 entries',
    ],
    ['an empty option', { type: 'select', options: ['a', ''] }, 'options[1]', 'must not be empty'],
    [
      'an option of 201',
      { type: 'select', options: ['x'.repeat(201)] },
      'options[0]',
      'must be at most 200 characters',
    ],
    ['an option twice', { type: 'select', options: ['a', 'b', 'a'] }, 'options[2]', 'is listed twice'],
    ['a target of a text', { targetTableId: 'tbl_1' }, 'targetTableId', 'is only allowed for relation'],
    ['a relation without target', { type: 'relation' }, 'targetTableId', 'is required for the type relation'],
    [
      'a relation to a table of another base',
      { type: 'relation', targetTableId: 'tbl_9' },
      'targetTableId',
      'must be the id of a table of the same base',
    ],
  ])('refuses %s, and names the path', (_, more, path, message) => {
    expect(wrong(() => made(more))).toEqual([{ path: `fields[2].${path}`, message: expect.stringContaining(message) }]);
  });
});

describe('a changed field', () => {
  it('is the same object without a difference', () => {
    const field = made({ type: 'select', options: ['a'] });
    expect(changedField(field, { name: 'f', options: ['a'] })).toBe(field);
    expect(changedField(field, { options: ['b'], required: true })).toEqual({
      ...field,
      options: ['b'],
      required: true,
    });
  });

  it('keeps the requirements of its type', () => {
    expect(wrong(() => changedField(made({}), { options: ['a'] }))).toMatchObject([{ path: 'options' }]);
    expect(wrong(() => changedField(made({ type: 'json' }), { unique: true }))).toMatchObject([{ path: 'unique' }]);
    expect(wrong(() => changedField(made({ type: 'select', options: ['a'] }), { options: [] }))).toMatchObject([
      { path: 'options' },
    ]);
  });
});

describe('a name of a field', () => {
  it.each(['a', 'Größe in cm', '😀'.repeat(64)])('may be %j', (name) => {
    expect(wrongFieldName(name)).toBeUndefined();
  });

  it.each([
    [undefined, 'is required and must be a string'],
    [7, 'must be a string'],
    ['  ', 'must not be empty'],
    ['x'.repeat(65), 'must be at most 64 characters'],
    ['two\nlines', 'must be one line of text without control characters'],
  ])('is not %j', (name, message) => {
    expect([wrongTableName(name), wrongFieldName(name)]).toEqual([message, message]);
  });

  it.each(['id', 'createdAt', 'updatedAt', 'createdBy', 'any', 'all', 'not', '__proto__'])(
    'is not %j, which every row has already',
    (name) => {
      expect(wrongFieldName(name)).toContain('must not be one of');
      expect(wrongTableName(name)).toBeUndefined();
    },
  );
});
