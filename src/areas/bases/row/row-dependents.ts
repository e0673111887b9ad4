import { dependentsOf } from '../../../engine/ownership/dependents.js';
import { rows } from './row.record.js';

/**
 * Erases the rows of a deleted table, including rows that were deleted before the table. Because `made` lists
 * `RowRestored`, a row that is restored after the table was deleted is erased too.
 */
export const rowsAsDependents = dependentsOf(rows, (_, { id: tableId }) => [{ type: 'RowErased', data: { tableId } }], {
  fields: ['deletedFrom'],
  made: ['RowRestored'],
});
