import { dependentsOf } from '../../../engine/ownership/dependents.js';
import { rows } from './row.record.js';

/** A row that was deleted before its table is erased with it. A row being restored may be late. */
export const rowsAsDependents = dependentsOf(rows, (_, { id: tableId }) => [{ type: 'RowErased', data: { tableId } }], {
  fields: ['deletedFrom'],
  made: ['RowRestored'],
});
