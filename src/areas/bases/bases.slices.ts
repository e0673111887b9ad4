import { type Slice, slice } from '../../engine/records/slice.js';
import { holdsConditions } from '../access/judging/condition-holders.api.js';
import { projectContent } from '../sites/project/project-contents.api.js';
import { baseHandlers } from './base/base.handler.js';
import { bases } from './base/base.record.js';
import { rowHandlers } from './row/row.handler.js';
import { rowsProjection } from './row/row.projection.js';
import { tableHandlers } from './table/table.handler.js';
import { deleteTable } from './table/table.js';
import { tables } from './table/table.record.js';
import { tableConditions } from './table/table-conditions.js';

/** Bases, which hold the data of sites, their tables and the rows of those. */
export const basesSlices: readonly Slice[] = [
  slice(bases, [...baseHandlers]),
  slice(tables, [...tableHandlers, projectContent(tables, deleteTable), holdsConditions(tableConditions)]),
  { projections: [rowsProjection], providers: rowHandlers },
];
