import { hash } from 'node:crypto';
import type { Json } from '../../../../kernel/json/json.js';
import { fieldOf } from '../../../../kernel/rows/row-filter.js';
import type { Sort } from '../../../../kernel/rows/row-order.js';
import { refuse } from '../../bases.refusals.js';
import type { Row } from '../row.record.js';

type Place = readonly (string | number | boolean | null)[];

/**
 * Where a page of a list ended: the values by which it is sorted, of its last row. Rows that come and go before or after
 * it make no difference. It fits the list it was made for: the same table and the same order.
 */
export function cursorAfter(row: Row, sort: Sort): string {
  const place = [...sort.map(([field]) => placed(fieldOf(row, field))), row.id];
  return Buffer.from(JSON.stringify([listOf(row.tableId ?? '', sort), place])).toString('base64url');
}

/** @throws Refusal cursor-of-another-list */
export function placeOf(cursor: string, tableId: string, sort: Sort): Place {
  const [list, place] = read(cursor);
  const isPlace =
    list === listOf(tableId, sort) &&
    Array.isArray(place) &&
    place.length === sort.length + 1 &&
    place.every((one) => one === null || typeof one !== 'object') &&
    typeof place.at(-1) === 'string';
  return isPlace ? (place as Place) : refuse('cursor-of-another-list');
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

const placed = (value: Json | undefined) => (value === undefined || typeof value === 'object' ? null : value);
