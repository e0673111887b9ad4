import { describe, expect, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given-saga.js';
import type { ProjectContents } from '../areas/sites/project/project-contents.api.js';
import { DeleteContentsOfDeletedProjects } from './delete-contents-of-deleted-projects.saga.js';

describe('a deleted project', () => {
  it('takes along everything that belongs to it, and nothing else', () => {
    const stage = new Stage();
    const saga = new DeleteContentsOfDeletedProjects(stage.noting<ProjectContents>({ deleteAll: 'deletes all' }));
    return givenSaga(saga, stage)
      .gets(of('project', 'proj_1', { type: 'ProjectDeleted', data: {} }))
      .does(['deletes all', 'ws_spec', 'proj_1', expect.any(Function)]);
  });
});
