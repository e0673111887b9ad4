import { type Slice, slice } from '../../engine/slice.js';
import { projectContent } from '../sites/project/project-contents.api.js';
import { baseHandlers } from './base/base.handler.js';
import { bases } from './base/base.record.js';
import { tableHandlers } from './table/table.handler.js';
import { deleteTable } from './table/table.js';
import { tables } from './table/table.record.js';

/** Bases, which hold the data of sites, and their tables. */
export const basesSlices: readonly Slice[] = [
  slice(bases, [...baseHandlers]),
  slice(tables, [...tableHandlers, projectContent(tables, deleteTable)]),
];
