import { asks, does } from '../../../engine/records/rule.js';
import { Doubles } from './doubles.api.js';
import { RelatedValues } from './related-values.js';
import { RememberedRows } from './remembered-rows.js';
import {
  CountRows,
  CreateRow,
  CreateRows,
  DeleteRow,
  DeleteRows,
  EraseRow,
  GetRow,
  ListRows,
  ReportRows,
  UndoRow,
  UpdateRow,
  UpdateRows,
  UpsertRow,
} from './row.operations.js';
import { RowCallers } from './row-callers.js';
import { RowDenials } from './row-denials.js';
import { RowIds } from './row-ids.js';
import { RowLookUp } from './row-look-up.js';
import { RowOfEvent } from './row-of-event.api.js';
import { RowPast } from './row-past.js';
import { RowReader } from './row-reader.js';
import { RowRoom } from './row-room.js';
import { RowRuleValues } from './row-rule-values.api.js';
import { RowWriter } from './row-writer.js';
import { type RowCaller, Rows } from './rows.api.js';

/** Whoever calls an operation was judged by their role. */
const member: RowCaller = { as: 'member' };

export const rowHandlers = [
  RelatedValues,
  Doubles,
  RowCallers,
  RowDenials,
  RowRuleValues,
  RowIds,
  RowLookUp,
  RowReader,
  RowRoom,
  RowWriter,
  RowPast,
  Rows,
  RememberedRows,
  RowOfEvent,
  asks(GetRow, Rows, (rows, { tableId, id }, call) => rows.getRow(call, member, { id: tableId }, id)),
  asks(ListRows, Rows, (rows, { tableId, ...query }, call) => rows.getRows(call, member, { id: tableId }, query)),
  asks(CountRows, Rows, async (rows, { tableId, filter }, call) => ({
    count: await rows.count(call, member, { id: tableId }, filter),
  })),
  asks(ReportRows, Rows, async (rows, { tableId, spec }, call) => ({
    groups: await rows.report(call, member, { id: tableId }, spec),
  })),
  does(CreateRow, RememberedRows, async (remembered, { tableId, values }, call) => {
    const [row] = await remembered.rows.createRows(call, member, { id: tableId }, [values]);
    return remembered.one(call, row);
  }),
  does(UpdateRow, RememberedRows, async (remembered, { tableId, ...change }, call) => {
    const [row] = await remembered.rows.updateRows(call, member, { id: tableId }, [change]);
    return remembered.one(call, row);
  }),
  does(UpsertRow, RememberedRows, async (remembered, { tableId, match, values }, call) =>
    remembered.one(call, await remembered.rows.upsertRow(call, member, { id: tableId }, match, values)),
  ),
  does(DeleteRow, Rows, async (rows, { tableId, id }, call) => {
    await rows.deleteRows(call, member, { id: tableId }, [id]);
    return { success: true };
  }),
  does(EraseRow, Rows, async (rows, { tableId, id }, call) => {
    await rows.eraseRow(call, { id: tableId }, id);
    return { success: true };
  }),
  does(UndoRow, RememberedRows, async (remembered, { tableId, id, at, before }, call) =>
    remembered.one(call, await remembered.rows.undoRow(call, { id: tableId }, id, { at, before })),
  ),
  does(CreateRows, RememberedRows, async (remembered, { tableId, rows: sent }, call) => ({
    rows: await remembered.all(call, await remembered.rows.createRows(call, member, { id: tableId }, sent)),
  })),
  does(UpdateRows, RememberedRows, async (remembered, { tableId, rows: sent }, call) => ({
    rows: await remembered.all(call, await remembered.rows.updateRows(call, member, { id: tableId }, sent)),
  })),
  does(DeleteRows, Rows, async (rows, { tableId, ids }, call) => {
    await rows.deleteRows(call, member, { id: tableId }, ids);
    return { deleted: ids.length };
  }),
];
