import { describe, expect, it } from '@jest/globals';
import type { Base } from './base.record.js';
import { addTable, removeTable, renameTable, unknownTables } from './base-tables.api.js';

const at = '2026-11-22T10:00:00.000Z';
const base = (names: readonly string[]): Base => ({
  id: 'base_1',
  workspaceId: 'ws_1',
  name: 'Shop',
  description: null,
  projectId: null,
  createdAt: at,
  tables: Object.fromEntries(names.map((name) => [`tbl_${name}`, { name, at }])),
});
const hundred = Array.from({ length: 100 }, (_, n) => `t${n}`);
const wanted = { tableId: 'tbl_new', name: 'new', unused: [] };

describe('a name reserved for a table', () => {
  const later = (ms: number) => Date.parse(at) + ms;

  it('without a known table is checked after a minute', () => {
    const known = new Set(['tbl_a']);
    expect(unknownTables(base(['a', 'b']), known, later(60_000))).toEqual([]);
    expect(unknownTables(base(['a', 'b']), known, later(60_001))).toEqual(['tbl_b']);
  });

  it('that was never recorded is given to the next caller', () => {
    expect(() => addTable(base(['a', 'new']), { ...wanted, tableId: 'tbl_2' })).toThrow("named 'new' already");
    expect(addTable(base(['a', 'new']), { ...wanted, tableId: 'tbl_2', unused: ['tbl_new', 'tbl_gone'] })).toEqual([
      { type: 'BaseTablesRemoved', data: { tableIds: ['tbl_new'] } },
      { type: 'BaseTableAdded', data: { tableId: 'tbl_2', name: 'new' } },
    ]);
  });

  it('no longer counts if it was never recorded', () => {
    expect(() => addTable(base(hundred), wanted)).toThrow('100 tables');
    expect(addTable(base(hundred), { ...wanted, unused: ['tbl_t5'] })).toHaveLength(2);
  });

  it('is reserved, given and removed once', () => {
    expect(addTable(base(['new']), wanted)).toEqual([]);
    expect(renameTable(base(['a']), 'tbl_a', 'a')).toEqual([]);
    expect(() => renameTable(base(['a', 'b']), 'tbl_a', 'b')).toThrow("named 'b' already");
    expect(removeTable(base(['a']), 'tbl_b')).toEqual([]);
    expect(removeTable(undefined, 'tbl_a')).toEqual([]);
  });

  it('requires a base', () => {
    expect(() => addTable(undefined, wanted)).toThrow('no such base');
    expect(() => renameTable(undefined, 'tbl_a', 'b')).toThrow('no such base');
  });
});
