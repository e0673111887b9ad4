import { asks, does } from '../../../engine/rule.js';
import { Doubles } from './doubles.api.js';
import { RelatedValues } from './related-values.js';
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
  UpdateRow,
  UpdateRows,
  UpsertRow,
} from './row.operations.js';
import { RowCallers } from './row-callers.js';
import { RowIds } from './row-ids.js';
import { RowLookUp } from './row-look-up.js';
import { RowOfEvent } from './row-of-event.api.js';
import { RowReader } from './row-reader.js';
import { RowRoom } from './row-room.js';
import { RowWriter } from './row-writer.js';
import { type RowCaller, Rows } from './rows.api.js';
import { TableRows } from './table-rows.api.js';

/** Whoever calls an operation was judged by their role. */
const member: RowCaller = { as: 'member' };

export const rowHandlers = [
  RelatedValues,
  Doubles,
  RowCallers,
  RowIds,
  RowLookUp,
  RowReader,
  RowRoom,
  RowWriter,
  Rows,
  RowOfEvent,
  TableRows,
  asks(GetRow, Rows, (rows, { tableId, id }, call) => rows.getRow(call, member, { id: tableId }, id)),
  asks(ListRows, Rows, (rows, { tableId, ...query }, call) => rows.getRows(call, member, { id: tableId }, query)),
  asks(CountRows, Rows, async (rows, { tableId, filter }, call) => ({
    count: await rows.count(call, member, { id: tableId }, filter),
  })),
  asks(ReportRows, Rows, async (rows, { tableId, spec }, call) => ({
    groups: await rows.report(call, member, { id: tableId }, spec),
  })),
  does(CreateRow, Rows, async (rows, { tableId, values }, call) => {
    const [row] = await rows.createRows(call, member, { id: tableId }, [values]);
    return row;
  }),
  does(UpdateRow, Rows, async (rows, { tableId, ...change }, call) => {
    const [row] = await rows.updateRows(call, member, { id: tableId }, [change]);
    return row;
  }),
  does(UpsertRow, Rows, (rows, { tableId, match, values }, call) =>
    rows.upsertRow(call, member, { id: tableId }, match, values),
  ),
  does(DeleteRow, Rows, async (rows, { tableId, id }, call) => {
    await rows.deleteRows(call, member, { id: tableId }, [id]);
    return { success: true };
  }),
  does(EraseRow, Rows, async (rows, { tableId, id }, call) => {
    await rows.eraseRow(call, { id: tableId }, id);
    return { success: true };
  }),
  does(CreateRows, Rows, async (rows, { tableId, rows: sent }, call) => ({
    rows: await rows.createRows(call, member, { id: tableId }, sent),
  })),
  does(UpdateRows, Rows, async (rows, { tableId, rows: sent }, call) => ({
    rows: await rows.updateRows(call, member, { id: tableId }, sent),
  })),
  does(DeleteRows, Rows, async (rows, { tableId, ids }, call) => {
    await rows.deleteRows(call, member, { id: tableId }, ids);
    return { deleted: ids.length };
  }),
];
