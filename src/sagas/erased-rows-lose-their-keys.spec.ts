import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { PersonalData } from '../engine/personal-data/personal-data.js';
import { ErasedRowsLoseTheirKeys } from './erased-rows-lose-their-keys.saga.js';

describe('an erased row', () => {
  it('loses the key of its values, and no other row does', () => {
    const stage = new Stage();
    const saga = new ErasedRowsLoseTheirKeys(stage.noting<PersonalData>({ erase: 'erases' }));
    return givenSaga(saga, stage)
      .gets(of('row', 'row_1', { type: 'RowErased', data: { tableId: 'tbl_1' } }))
      .does(['erases', 'row-ws_spec.row_1']);
  });
});
