import { dependentsOf } from '../../../engine/ownership/dependents.js';
import { rows } from './row.record.js';

/** Erases the rows of a deleted table, also those deleted before it. A row that is being restored may be found late. */
export const rowsAsDependents = dependentsOf(rows, (_, { id: tableId }) => [{ type: 'RowErased', data: { tableId } }], {
  fields: ['deletedFrom'],
  made: ['RowRestored'],
});
