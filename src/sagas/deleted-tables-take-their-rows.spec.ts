import { describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { TableRows } from '../areas/bases/row/table-rows.api.js';
import { DeletedTablesTakeTheirRows } from './deleted-tables-take-their-rows.saga.js';

describe('a deleted table', () => {
  it('takes along all its rows, and no others', () => {
    const stage = new Stage();
    const saga = new DeletedTablesTakeTheirRows(stage.noting<TableRows>({ eraseAll: 'erases all of' }));
    const deleted = of('table', 'tbl_1', { type: 'TableDeleted', data: { baseId: 'base_1', projectId: null } });
    return givenSaga(saga, stage)
      .gets(deleted)
      .does(['erases all of', expect.objectContaining({ workspaceId: 'ws_spec', id: 'tbl_1' }), expect.any(Function)]);
  });
});
