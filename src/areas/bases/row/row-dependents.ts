import { dependentsOf } from '../../../engine/ownership/dependents.js';
import { rows } from './row.record.js';

/**
 * Erases the rows of a deleted table, including those that were deleted before. `made` also finds a row that is
 * restored at the same time.
 */
export const rowsAsDependents = dependentsOf(rows, (_, { id: tableId }) => [{ type: 'RowErased', data: { tableId } }], {
  fields: ['deletedFrom'],
  made: ['RowRestored'],
});
