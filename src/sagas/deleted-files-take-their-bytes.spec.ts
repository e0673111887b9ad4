import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { FileBytes } from '../areas/sites/file/file-bytes.api.js';
import { DeletedFilesTakeTheirBytes } from './deleted-files-take-their-bytes.saga.js';

describe('a deleted file', () => {
  it('takes the bytes of its own upload, and no others', () => {
    const stage = new Stage();
    const saga = new DeletedFilesTakeTheirBytes(stage.noting<FileBytes>({ destroy: 'destroys' }));
    return givenSaga(saga, stage)
      .gets(of('siteFile', 'file_1', { type: 'SiteFileDeleted', data: { projectId: 'proj_1', bytesId: 'bytes_1' } }))
      .does(['destroys', { workspaceId: 'ws_spec', bytesId: 'bytes_1' }]);
  });
});
