import { endsWithOwners, entersDependents } from '../../engine/ownership/dependents.js';
import { type Slice, slice } from '../../engine/records/slice.js';
import { listsConditions } from '../access/judging/condition-holders.api.js';
import { baseOperations } from './base/base.operations.js';
import { bases } from './base/base.record.js';
import { IdempotentRowAnswers } from './row/idempotent-row-answers.js';
import { LateTableChanges } from './row/late-table-changes.js';
import { rowOperations } from './row/row.operations.js';
import { rowsProjection } from './row/row.projection.js';
import { rows } from './row/row.record.js';
import { rowsAsDependents } from './row/row-dependents.js';
import { RowHistory } from './row/row-history.js';
import { RowIds } from './row/row-ids.js';
import { RowLookUp } from './row/row-look-up.js';
import { RowOfEvent } from './row/row-of-event.api.js';
import { RowQuota } from './row/row-quota.js';
import { RowReader } from './row/row-reader.js';
import { RowWriter } from './row/row-writer.js';
import { Rows } from './row/rows.api.js';
import { RelatedValues } from './row/rules/related-values.js';
import { RowCallers } from './row/rules/row-callers.js';
import { RowDenials } from './row/rules/row-denials.js';
import { RowRuleValues } from './row/rules/row-rule-values.api.js';
import { UniqueValues } from './row/unique-values.api.js';
import { UpsertedRows } from './row/upserted-rows.js';
import { RowChanges } from './row/watch/row-changes.api.js';
import { RowWatch } from './row/watch/row-watch.api.js';
import { FieldChanges } from './table/field-changes.js';
import { deleteTable } from './table/table.js';
import { tableOperations } from './table/table.operations.js';
import { tables } from './table/table.record.js';
import { tableConditions } from './table/table-conditions.js';
import { TableCreation } from './table/table-creation.js';
import { TableView } from './table/table-view.api.js';

export const basesSlices: readonly Slice[] = [
  slice(bases, baseOperations),
  slice(tables, [
    ...tableOperations,
    TableCreation,
    FieldChanges,
    TableView,
    endsWithOwners(tables, deleteTable),
    listsConditions(tableConditions),
  ]),
  {
    record: rows,
    projections: [rowsProjection],
    providers: [
      ...rowOperations,
      Rows,
      IdempotentRowAnswers,
      RowCallers,
      RowDenials,
      RowReader,
      LateTableChanges,
      UpsertedRows,
      RowWriter,
      RowIds,
      RowLookUp,
      RowQuota,
      RowHistory,
      RowRuleValues,
      RowOfEvent,
      RowWatch,
      RowChanges,
      RelatedValues,
      UniqueValues,
      entersDependents(rowsAsDependents),
    ],
  },
];
