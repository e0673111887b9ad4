import { endsWithOwners, entersDependents } from '../../engine/ownership/dependents.js';
import { type Slice, slice } from '../../engine/records/slice.js';
import { holdsConditions } from '../access/judging/condition-holders.api.js';
import { baseHandlers } from './base/base.handler.js';
import { endBase } from './base/base.js';
import { bases } from './base/base.record.js';
import { rowHandlers } from './row/row.handler.js';
import { rowsProjection } from './row/row.projection.js';
import { rows } from './row/row.record.js';
import { rowsAsDependents } from './row/row-dependents.js';
import { tableHandlers } from './table/table.handler.js';
import { deleteTable } from './table/table.js';
import { tables } from './table/table.record.js';
import { tableConditions } from './table/table-conditions.js';

/** Bases, which hold the data of sites, their tables and the rows of those. */
export const basesSlices: readonly Slice[] = [
  slice(bases, [...baseHandlers, endsWithOwners(bases, endBase)]),
  slice(tables, [...tableHandlers, endsWithOwners(tables, deleteTable), holdsConditions(tableConditions)]),
  { record: rows, projections: [rowsProjection], providers: [...rowHandlers, entersDependents(rowsAsDependents)] },
];
