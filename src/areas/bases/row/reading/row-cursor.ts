import { hash } from 'node:crypto';
import type { Json } from '../../../../kernel/json/json.js';
import { ownFieldOf } from '../../../../kernel/rows/row-filter.js';
import type { Sort } from '../../../../kernel/rows/row-order.js';
import { refuse } from '../../bases.refusals.js';
import type { Row } from '../row.record.js';

type CursorPosition = readonly (string | number | boolean | null)[];

/**
 * Returns a keyset cursor. It stays valid if other rows are inserted or deleted, but only for the same table and sort
 * order.
 */
export function cursorAfter(row: Row, sort: Sort): string {
  const values = [...sort.map(([field]) => encodedValue(ownFieldOf(row, field))), row.id];
  return Buffer.from(JSON.stringify([listOf(row.tableId ?? '', sort), values])).toString('base64url');
}

/** @throws Refusal cursor-of-another-list */
export function rowCursorPosition(cursor: string, tableId: string, sort: Sort): CursorPosition {
  const [list, values] = read(cursor);
  const isPosition =
    list === listOf(tableId, sort) &&
    Array.isArray(values) &&
    values.length === sort.length + 1 &&
    values.every((one) => one === null || typeof one !== 'object') &&
    typeof values.at(-1) === 'string';
  return isPosition ? (values as CursorPosition) : refuse('cursor-of-another-list');
}

function read(cursor: string): readonly unknown[] {
  try {
    const content: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(content) ? content : [];
  } catch {
    return [];
  }
}

const listOf = (tableId: string, sort: Sort) => hash('sha256', JSON.stringify([tableId, sort]), 'hex').slice(0, 16);

const encodedValue = (value: Json | undefined) => (value === undefined || typeof value === 'object' ? null : value);
