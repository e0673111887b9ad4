import { expect, it } from '@jest/globals';
import { homeOf } from './rule-homes.js';

const rule = { type: 'authenticated' } as const;
const rules = {
  email: { send: rule },
  proxy: { execute: rule },
  channels: [{ pattern: 'a*', accessRules: { publish: rule } }],
};
const table = {
  name: 'Orders',
  accessRules: { create: rule },
  fields: [{ id: 'fld_1', name: 'title', accessRules: { write: rule } }],
};
const fn = { name: 'Refund', accessRules: { execute: rule } };
const home = (kind: string, id: string, operation: string, more: object = {}) =>
  homeOf({ place: { kind, id, operation, ...more }, projectId: 'proj_1' } as Parameters<typeof homeOf>[0]);

it.each([
  ['function', 'fn_1', 'execute', fn, { category: 'siteFunction', id: 'fn_1', place: 'function' }, 'Refund'],
  [
    'account-function',
    'fn_1',
    'execute',
    fn,
    { category: 'function', id: 'fn_1', place: 'account-function' },
    'Refund',
  ],
  ['email', 'proj_1', 'send', rules, { category: 'siteRules', id: 'proj_1', place: 'email' }, 'email'],
  ['channel', 'a*', 'publish', rules, { category: 'siteRules', id: 'proj_1', place: 'channel' }, 'a*'],
  ['proxy', 'proj_1', 'execute', rules, { category: 'siteRules', id: 'proj_1', place: 'proxy' }, 'server proxy'],
  ['table', 'tbl_1', 'create', table, { category: 'table', id: 'tbl_1', place: 'table' }, 'Orders'],
])('the rule of a %s is found in its record', (kind, id, operation, state, where, name) => {
  const found = home(kind, id, operation);
  expect(found).toMatchObject(where);
  expect(found.read(state)).toEqual({ name, condition: rule });
});

it('the rule of a field is found in its table, for writing or reading', () => {
  const found = home('field', 'fld_1', 'write', { tableId: 'tbl_1' });
  expect(found).toMatchObject({ category: 'table', id: 'tbl_1' });
  expect(found.read(table)).toEqual({ name: 'Orders.title', condition: rule });
  expect(home('field', 'fld_1', 'read', { tableId: 'tbl_1' }).read(table).condition).toBeNull();
});

it('is null in a record without a saved rule, even if the field or the pattern is deleted', () => {
  expect(home('email', 'proj_1', 'send').read({ channels: [] })).toEqual({ name: 'email', condition: null });
  expect(home('channel', 'b*', 'publish').read(rules)).toEqual({ name: 'b*', condition: null });
  expect(home('table', 'tbl_1', 'delete').read(table)).toEqual({ name: 'Orders', condition: null });
  const gone = home('field', 'fld_9', 'write', { tableId: 'tbl_1' });
  expect(gone.read(table)).toEqual({ name: 'Orders.fld_9', condition: null });
});
