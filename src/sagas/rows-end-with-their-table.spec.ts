import { describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { TableRows } from '../areas/bases/row/table-rows.api.js';
import type { Calls } from '../engine/operation/calls.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { RowsEndWithTheirTable } from './rows-end-with-their-table.saga.js';

const created = (id: string, tableId: string) =>
  of('row', id, {
    type: 'RowCreated',
    data: {
      tableId,
      baseId: 'base_1',
      projectId: null,
      table: 'Orders',
      changed: [],
      createdByUser: null,
      values: null,
    },
  });

describe('rows that were created', () => {
  it('are looked at table by table, should theirs be gone', () => {
    const stage = new Stage();
    const because = ({ metadata }: RecordedEvent, saga: string, step: string) => ({
      workspaceId: metadata.workspaceId,
      commandId: `${saga}/${step}`,
    });
    const rows = stage.noting<TableRows>({ eraseOrphans: 'erases orphans' });
    const saga = new RowsEndWithTheirTable(rows, { because } as unknown as Calls);
    const call = (tableId: string) =>
      expect.objectContaining({ workspaceId: 'ws_spec', commandId: `rows-end-with-their-table/${tableId}` });
    return givenSaga(saga, stage)
      .gets(created('row_1', 'tbl_1'), created('row_2', 'tbl_2'), created('row_3', 'tbl_1'))
      .does(
        ['erases orphans', call('tbl_1'), 'tbl_1', ['row_1', 'row_3']],
        ['erases orphans', call('tbl_2'), 'tbl_2', ['row_2']],
      );
  });
});
